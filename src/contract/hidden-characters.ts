/**
 * Characters of people's text that no reader should meet: control characters but newline and tab; marks that turn the direction
 * of the text around them and so make an address or a name look like another; byte order marks; and the two noncharacters that
 * XML, and so SVG, cannot hold. The bot and the pages both take them out.
 */
export const hiddenCharacters = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/gu;
