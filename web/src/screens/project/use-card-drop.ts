import type { TargetedDragEvent } from 'preact'
import { useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { cardBelowPointer, type Place, placeBefore } from './card-order.ts'

type Assignment = RecordOf<'assignment'>

interface CardDropOptions {
  /** The cards of the column, in their order. */
  readonly cards: readonly Assignment[]
  readonly stageId: string
  readonly dragged: Assignment | undefined
  readonly isManuallyOrdered: boolean
  /** Returns the id of the card before which the dragged one would be sorted. */
  findNext(dragged: Assignment): string | undefined
  onDrop(place: Place | undefined): void
}

/** Accepts a dragged card from another column, and from the same column if its cards are ordered by hand. */
export function useCardDrop({
  cards,
  stageId,
  dragged,
  isManuallyOrdered,
  findNext,
  onDrop,
}: CardDropOptions) {
  const [isOver, setOver] = useState(false)
  const [beforeId, setBeforeId] = useState<string>()
  const isAccepted = dragged !== undefined && (isManuallyOrdered || dragged.workflowId !== stageId)
  const isShown = isOver && isAccepted
  const nextId = isShown && !isManuallyOrdered ? findNext(dragged) : beforeId
  return {
    isOver: isShown,
    /** The id of the card before which the dragged one would be placed. */
    beforeId: isShown ? nextId : undefined,
    isLast: isShown && nextId === undefined,
    handlers: {
      onDragOver(event: TargetedDragEvent<HTMLElement>) {
        setOver(true)
        if (!isAccepted) return
        event.preventDefault()
        if (isManuallyOrdered) setBeforeId(cardBelowPointer(event.currentTarget, event, dragged.id))
      },
      onDragLeave(event: TargetedDragEvent<HTMLElement>) {
        // Cards move while the gap opens. Leaving one card for another is ignored.
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      },
      onDrop(event: TargetedDragEvent<HTMLElement>) {
        event.preventDefault()
        setOver(false)
        onDrop(isManuallyOrdered && dragged ? placeBefore(cards, dragged, beforeId) : undefined)
      },
    },
  }
}
