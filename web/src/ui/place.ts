import { useEffect, useState } from 'preact/hooks'
import { t } from '../texts/text.ts'

const gapPixels = 4

/** Puts what lies over the page below its anchor, inside the window, whichever side has the room. */
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
  // At the edge of the anchor where lines begin; menus of buttons end with them.
  const wanted = isAsWide === lineDirection() < 0 ? at.right - width : at.left
  layer.style.top = `${top}px`
  layer.style.left = `${Math.min(Math.max(gapPixels, wanted), innerWidth - width - gapPixels)}px`
}

/** Whether lines run from right to left; style sheets know it by themselves. */
const isRightToLeft = (): boolean => document.documentElement.dir === 'rtl'

/** 1 where lines run from left to right, else -1: pixels from the left times this are pixels along the line. */
export const lineDirection = (): 1 | -1 => (isRightToLeft() ? -1 : 1)

const turned: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }

/** The key as tables of keys mean it, where ArrowRight leads on along the line. */
export const keyAlongLine = ({ key }: { readonly key: string }): string =>
  isRightToLeft() ? (turned[key] ?? key) : key

/** Whether the media query matches; drawn again when that changes. */
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

/** Counts down to the moment; 0 when it has passed or there is none. */
export function useSecondsUntil(moment: number | undefined): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    setNow(Date.now())
    if (moment === undefined) return
    const timer = setInterval(() => {
      setNow(Date.now())
      if (Date.now() >= moment) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [moment])
  return moment === undefined ? 0 : Math.max(0, Math.ceil((moment - now) / 1000))
}

/** What a browser calls itself begins with the same words in all of them. */
export function browserNameOf(userAgent: string): string {
  const known = /(Firefox|Edg|OPR|Chrome|Safari)\/(\d+)/.exec(userAgent)
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent)?.[1]
  const name = known ? `${names[known[1] ?? ''] ?? known[1]} ${known[2]}` : userAgent.slice(0, 40)
  return system ? t('{name} on {system}', { name, system: system.replace('Mac OS X', 'macOS') }) : name
}

const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' }
