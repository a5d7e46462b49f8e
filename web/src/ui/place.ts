import { useEffect, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'
import { directionSign } from './text-direction.ts'

const gapPixels = 4

/** Places an overlay below its anchor, inside the window, on the side with enough room. */
export function placeBelow(
  overlay: HTMLElement,
  anchor: HTMLElement,
  { matchesWidth = false }: { readonly matchesWidth?: boolean } = {},
): void {
  const anchorBox = anchor.getBoundingClientRect()
  if (matchesWidth) overlay.style.minWidth = `${Math.min(anchorBox.width, innerWidth - 2 * gapPixels)}px`
  const { offsetWidth: width, offsetHeight: height } = overlay
  const below = anchorBox.bottom + gapPixels
  const top = below + height <= innerHeight ? below : Math.max(gapPixels, anchorBox.top - gapPixels - height)
  // Aligned with the start of the anchor; menus of buttons align with its end.
  const preferredLeft = matchesWidth === directionSign() < 0 ? anchorBox.right - width : anchorBox.left
  overlay.style.top = `${top}px`
  overlay.style.left = `${Math.min(Math.max(gapPixels, preferredLeft), innerWidth - width - gapPixels)}px`
}

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

/** In this order, because browsers also name those that they are compatible with. Safari gives its version as `Version`. */
const browserTokens = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Version', 'Safari'],
] as const

const systemTokens = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** Describes a browser and its system, such as "Firefox 130 on Linux"; unknown programs by the beginning of their user agent. */
export function describeUserAgent(userAgent: string): string {
  const system = systemTokens.find(([token]) => userAgent.includes(token))?.[1]
  const name =
    browserTokens
      .map(([token, browser]) => [browser, new RegExp(`\\b${token}/(\\d+)`).exec(userAgent)?.[1]])
      .find(([, version]) => version !== undefined)
      ?.join(' ') ?? userAgent.slice(0, 40)
  return system ? t('{name} on {system}', { name, system }) : name
}
