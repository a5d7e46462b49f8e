import type { RecordOf } from '../../api/api.ts'

type Assignment = RecordOf<'assignment'>

/** A place in the manual order of a stage, next to a card that is there. */
export interface Place {
  readonly neighbour:
    | { readonly afterId: string | null; readonly beforeId?: never }
    | { readonly beforeId: string; readonly afterId?: never }
  /** A provisional rank, until the server has returned the real one. */
  readonly rank: string
  /** The position in the stage, counted from 1. */
  readonly number: number
}

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** Sorts by the manual order. */
export const byRank = (a: Assignment, b: Assignment): number =>
  compareTexts(a.rank ?? '', b.rank ?? '') || compareTexts(a.id, b.id)

/**
 * Returns the place before the card with the id `beforeId`, or after the last card if it is undefined.
 * Returns undefined if the moved card is already there.
 */
export function placeBefore(
  cards: readonly Assignment[],
  moved: Assignment,
  beforeId: string | undefined,
): Place | undefined {
  const otherCards = cards.filter(({ id }) => id !== moved.id)
  const found = otherCards.findIndex(({ id }) => id === beforeId)
  const index = found === -1 ? otherCards.length : found
  if (cards[index]?.id === moved.id) return undefined
  const [above, below] = [otherCards[index - 1], otherCards[index]]
  const number = index + 1
  // A space sorts before any digit of a rank, so the card comes directly after the one above it.
  if (above) return { neighbour: { afterId: above.id }, rank: `${above.rank} `, number }
  return { neighbour: below ? { beforeId: below.id } : { afterId: null }, rank: '', number }
}

/** Returns the place of a card that moves a step up (-1) or down (1). */
export function placeAfterStep(
  cards: readonly Assignment[],
  moved: Assignment,
  step: number,
): Place | undefined {
  const index = cards.findIndex(({ id }) => id === moved.id)
  if (index + step < 0) return undefined
  return placeBefore(cards, moved, cards[step < 0 ? index - 1 : index + 2]?.id)
}

/** Returns the id of the first card whose middle is below the pointer, apart from the dragged one. */
export function cardBelowPointer(
  list: Element,
  { clientY }: { readonly clientY: number },
  draggedId: string,
): string | undefined {
  for (const element of list.querySelectorAll<HTMLElement>('[data-row]')) {
    const { top, height } = element.getBoundingClientRect()
    if (element.dataset.row !== draggedId && clientY < top + height / 2) return element.dataset.row
  }
  return undefined
}
