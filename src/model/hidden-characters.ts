/** What nothing is drawn for, white space aside. U+2800 is a pattern of dots without a dot. */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

export const withoutHiddenCharacters = (text: string): string => text.replaceAll(hidden, '')
