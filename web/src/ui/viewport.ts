import { useEffect, useState } from 'preact/hooks'

/** Media queries that the style sheets also use: a phone, and a window without room for a table. */
export const phone = '(max-width: 640px)'
export const narrow = '(max-width: 760px)'

/** Returns whether the media query matches; renders again when that changes. */
export function useMedia(query: string): boolean {
  const [isMatch, setIsMatch] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const mediaQuery = matchMedia(query)
    const update = () => setIsMatch(mediaQuery.matches)
    update()
    mediaQuery.addEventListener('change', update)
    return () => mediaQuery.removeEventListener('change', update)
  }, [query])
  return isMatch
}

/** Returns whether fingers are used, which need no highlight before they tap. A keyboard may still be attached. */
export const isTouched = (): boolean => matchMedia('(pointer: coarse)').matches

const gapPixels = 4

/** An element, or a point where the pointer was. */
export type Anchor = Pick<Element, 'getBoundingClientRect'>

/**
 * Places an overlay below its anchor, inside the window, or above it if there is room only there. Without
 * enough room on either side, it ends at the bottom of the window.
 */
export function placeBelow(
  overlay: HTMLElement,
  anchor: Anchor,
  {
    matchesWidth = false,
    edgePixels = gapPixels,
  }: { readonly matchesWidth?: boolean; readonly edgePixels?: number } = {},
): void {
  const anchorBox = anchor.getBoundingClientRect()
  if (matchesWidth) overlay.style.minWidth = `${Math.min(anchorBox.width, innerWidth - 2 * gapPixels)}px`
  const { offsetWidth: width, offsetHeight: height } = overlay
  const below = anchorBox.bottom + gapPixels
  const above = anchorBox.top - gapPixels - height
  const lowest = Math.max(gapPixels, innerHeight - gapPixels - height)
  const top = below <= lowest ? below : above >= gapPixels ? above : lowest
  // A list as wide as its field aligns with the start of the field, and a menu with the end of its button.
  const alignsRight = matchesWidth === isRightToLeft()
  const preferredLeft = alignsRight ? anchorBox.right - width : anchorBox.left
  overlay.style.top = `${top}px`
  overlay.style.left = `${Math.max(gapPixels, Math.min(preferredLeft, innerWidth - width - edgePixels))}px`
}

/** Needed only for coordinates and keys, because style sheets follow the direction by themselves. */
const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl'

/** 1 for left to right, otherwise -1. A horizontal distance times this is a distance in reading direction. */
export const directionSign = (): 1 | -1 => (isRightToLeft() ? -1 : 1)

const mirroredKeys: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }

/** Returns the logical key: ArrowRight always moves forward along the line. */
export const logicalArrowKey = ({ key }: { readonly key: string }): string =>
  isRightToLeft() ? (mirroredKeys[key] ?? key) : key
