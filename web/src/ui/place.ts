import { useEffect, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'

const gapPixels = 4

/** Places an overlay below its anchor, inside the window, on the side with enough room. */
export function placeBelow(
  layer: HTMLElement,
  anchor: HTMLElement,
  { isAsWide = false }: { readonly isAsWide?: boolean } = {},
): void {
  const at = anchor.getBoundingClientRect()
  if (isAsWide) layer.style.minWidth = `${Math.min(at.width, innerWidth - 2 * gapPixels)}px`
  const { offsetWidth: width, offsetHeight: height } = layer
  const below = at.bottom + gapPixels
  const top = below + height <= innerHeight ? below : Math.max(gapPixels, at.top - gapPixels - height)
  // Aligned with the start of the anchor; menus of buttons align with its end.
  const wanted = isAsWide === lineDirection() < 0 ? at.right - width : at.left
  layer.style.top = `${top}px`
  layer.style.left = `${Math.min(Math.max(gapPixels, wanted), innerWidth - width - gapPixels)}px`
}

/** Returns whether the direction is right to left; style sheets know it by themselves. */
const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl'

/** 1 for left to right, else -1: multiply pixels from the left by this to get pixels along the line. */
export const lineDirection = (): 1 | -1 => (isRightToLeft() ? -1 : 1)

const turned: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }

/** The logical key, where ArrowRight moves forward along the line. */
export const keyAlongLine = ({ key }: { readonly key: string }): string =>
  isRightToLeft() ? (turned[key] ?? key) : key

/** Returns whether the media query matches; renders again when that changes. */
export function useMedia(query: string): boolean {
  const [holds, setHolds] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const follow = () => setHolds(media.matches)
    follow()
    media.addEventListener('change', follow)
    return () => media.removeEventListener('change', follow)
  }, [query])
  return holds
}

/** Counts down to the time; 0 when it has passed or there is none. */
export function useSecondsUntil(timestamp: number | undefined): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    if (timestamp === undefined) return
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= timestamp) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [timestamp])
  return timestamp === undefined ? 0 : Math.max(0, Math.ceil((timestamp - now) / 1000))
}

/** User agents of all browsers begin with the same words. */
export function browserNameOf(userAgent: string): string {
  const known = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/.exec(userAgent)
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1]
  const name = known ? `${names[known[1] ?? ''] ?? known[1]} ${known[2]}` : userAgent.slice(0, 40)
  return system ? t('{name} on {system}', { name, system: system.replace('Mac OS X', 'macOS') }) : name
}

const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' }
