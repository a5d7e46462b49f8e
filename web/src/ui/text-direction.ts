/** Needed only for coordinates and keys, because style sheets follow the direction by themselves. */
const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl'

/** 1 for left to right, otherwise -1. A horizontal distance times this is a distance in reading direction. */
export const directionSign = (): 1 | -1 => (isRightToLeft() ? -1 : 1)

const mirroredKeys: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }

/** Returns the logical key: ArrowRight always moves forward along the line. */
export const logicalArrowKey = ({ key }: { readonly key: string }): string =>
  isRightToLeft() ? (mirroredKeys[key] ?? key) : key
