import { lineDirection } from './direction.ts'

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
