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

/** Returns the browser and its system, such as "Firefox 130 on Linux". */
export function browserNameOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/.exec(userAgent)
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1]
  const name = browser
    ? `${browserNames[browser[1] ?? ''] ?? browser[1]} ${browser[2]}`
    : userAgent.slice(0, 40)
  return system ? t('{name} on {system}', { name, system: system.replace('Mac OS X', 'macOS') }) : name
}

const browserNames: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' }
