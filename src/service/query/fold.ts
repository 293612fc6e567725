/**
 * The form in which text is compared without regard to case (api-behaviour.md A7). What is searched is stored in this form
 * beside the original, because databases disagree on the case of letters outside ASCII. `Straße` and `STRASSE` fold alike, as
 * do composed and decomposed accents; what no database can store (NUL, half a surrogate pair) is taken out.
 */
export function fold(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().normalize('NFC').toLowerCase().toUpperCase().normalize('NFC');
}
