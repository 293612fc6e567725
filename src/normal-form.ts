/** Most marks in a row that are looked at: no script writes so many on one letter (Unicode Standard Annex #15, Stream-Safe Text Format). */
const mostMarks = 30;
const marks = /\p{M}+/gu;

/**
 * A text in a normal form of Unicode, for comparison. Of more than 30 marks on one letter the rest is left out: `normalize` sorts them, which
 * costs the square of their number.
 */
export function toNormalForm(text: string, form: 'NFC' | 'NFKC' | 'NFKD'): string {
  const some = (row: string) => (row.length > mostMarks ? [...row].slice(0, mostMarks).join('') : row);
  return text.replace(marks, some).normalize(form);
}
