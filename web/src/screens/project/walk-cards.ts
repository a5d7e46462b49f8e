import { keyAlongLine } from '../../ui/direction.ts'

/** Arrows walk from card to card, over columns without any. */
export function walkCards(event: KeyboardEvent, from: HTMLElement): void {
  const direction = directions[keyAlongLine(event)]
  const columns = [...(from.closest('.board')?.querySelectorAll('.column') ?? [])].map((column) => [
    ...column.querySelectorAll<HTMLElement>('.card-link'),
  ])
  if (direction === undefined) return
  event.preventDefault()
  const filled = columns.filter((cards) => cards.length > 0)
  const column = filled.findIndex((cards) => cards.includes(from))
  const index = filled[column]?.indexOf(from) ?? 0
  const target = filled[column + direction[0]]
  target?.[Math.min(index + direction[1], target.length - 1)]?.focus()
}

const directions: Readonly<Record<string, readonly [columns: number, cards: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
