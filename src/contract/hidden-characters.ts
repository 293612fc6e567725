/**
 * Characters that no reader should meet in people's text: control characters but newline and tab; marks that reverse the
 * direction of the text around them, so that an address or a name looks like another; byte order marks; and the two
 * noncharacters that XML, and so SVG, cannot hold. The bot and the pages both remove them.
 */
export const hiddenCharacters = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/gu;
