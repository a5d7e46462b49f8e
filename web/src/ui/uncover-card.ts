/** The distance between a card and the messages, or the end of its column. */
const distancePixels = 8

/**
 * Scrolls the focused card, or the one that was just moved, above the messages, because they are about it. A card out of
 * view stays there.
 */
export function uncoverCard(): void {
  const messages = document.querySelector('.toasts:has(> .toast)')?.getBoundingClientRect()
  const card = document.activeElement?.closest('.card') ?? document.querySelector('.card.new')
  const column = card?.closest('.column-cards')
  if (!messages || !card || !column) return
  const box = card.getBoundingClientRect()
  const { bottom } = column.getBoundingClientRect()
  const isBelow = box.right > messages.left && box.left < messages.right
  if (box.top > bottom) return
  column.classList.toggle('below-messages', isBelow)
  const end = isBelow ? Math.min(bottom, messages.top) : bottom
  column.scrollTop += Math.max(0, box.bottom + distancePixels - end)
}
