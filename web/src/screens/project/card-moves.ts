import type { TargetedDragEvent } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { outageError, sentenceOf } from '../../api/problems.ts'
import { updateBodyOf } from '../../assignment/assignment-values.ts'
import { offerUndo, throwUnchanged, warnOfOpenParts } from '../../assignment/change-assignment.ts'
import { queuedChanges, type StageChange, sendOrQueue, withQueuedStage } from '../../assignment/queue.ts'
import { type Services, useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'

type Assignment = RecordOf<'assignment'>

/** A place in the manual order of a stage, next to a card. In an empty stage, `afterId` is null. */
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
function placeBefore(
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
  // A space sorts before any digit of a rank, so the card comes directly after the card above it.
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

/** Returns the id of the first card whose middle is below the pointer, except the dragged card. */
function cardBelowPointer(
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

interface CardDropOptions {
  /** The cards of the column, in their order. */
  readonly cards: readonly Assignment[]
  readonly stageId: string
  readonly dragged: Assignment | undefined
  readonly isManuallyOrdered: boolean
  readonly isDone: boolean
  /** Returns the id of the card before which the dragged one would be sorted. */
  findNext(dragged: Assignment): string | undefined
  onDrop(place: Place | undefined): void
}

/**
 * Accepts a dragged card from another column, and from the same column if its cards are ordered by hand.
 * Otherwise a message says why the card stays.
 */
export function useCardDrop({
  cards,
  stageId,
  dragged,
  isManuallyOrdered,
  isDone,
  findNext,
  onDrop,
}: CardDropOptions) {
  const services = useServices()
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
        if (!dragged) return
        event.preventDefault()
        setBeforeId(cardBelowPointer(event.currentTarget, event, dragged.id))
      },
      onDragLeave(event: TargetedDragEvent<HTMLElement>) {
        // Cards move while the gap opens. Leaving one card for another is ignored.
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      },
      onDrop(event: TargetedDragEvent<HTMLElement>) {
        event.preventDefault()
        setOver(false)
        const place = dragged && placeBefore(cards, dragged, beforeId)
        if (isAccepted) onDrop(isManuallyOrdered ? place : undefined)
        else if (place)
          import('./sorted-hint.ts').then(
            (script) => script.showSortedHint(services, dragged, isDone),
            () => services.toasts.show({ kind: 'problem', text: outageError().message }),
          )
      },
    },
  }
}

interface Move {
  readonly workflowId: string
  readonly place?: Place | undefined
  /** The `updatedAt` before the move. When the move is saved, a row with another value contains it. */
  readonly baseUpdatedAt: string | null
  readonly isSaved: boolean
}

interface Moves {
  /** The assignments in the stages that the user moved them to, including unconfirmed moves. */
  readonly rows: readonly Assignment[]
  move(assignment: Assignment, stage: { readonly id: string; readonly name: string }, place?: Place): void
}

/**
 * Shows a move at once, offers Undo when it is saved, and reverts it with a message after an error. Moves of
 * one card are sent one after the other.
 */
export function useMoves(
  stored: readonly Assignment[],
  stageNameOf: (id: string) => string,
  onSaved: (row: Assignment) => void,
): Moves {
  const services = useServices()
  const [moves, setMoves] = useState<ReadonlyMap<string, Move>>(new Map())
  const latest = useRef(stored)
  latest.current = stored
  const queues = useRef(new Map<string, Promise<void>>())
  const setMove = (id: string, move: Move | undefined) =>
    setMoves((all) => {
      const next = new Map(all)
      if (move === undefined) next.delete(id)
      else next.set(id, move)
      return next
    })
  useEffect(() => {
    for (const { id, workflowId, updatedAt } of stored) {
      const move = moves.get(id)
      const isShown = workflowId === move?.workflowId && !move.place
      if (move?.isSaved && (isShown || updatedAt !== move.baseUpdatedAt)) setMove(id, undefined)
    }
  }, [stored, moves])
  const send = async (
    assignment: Assignment,
    { id: workflowId, name }: { readonly id: string; readonly name: string },
    place: Place | undefined,
  ) => {
    const { id } = assignment
    // The update is based on the current record, so that concurrent changes are kept.
    const current = latest.current.find((row) => row.id === id) ?? assignment
    const baseUpdatedAt = current.updatedAt
    const formerNeighbour = neighbourOf(current, latest.current)
    const change = stageChange(current, { id: workflowId, name }, place)
    try {
      let saved: Assignment | undefined
      const isSent = await sendOrQueue(services, change, current, async () => {
        if (place) saved = await saveMove(services, id, workflowId, place.neighbour)
        else await services.api.update('assignment', { ...updateBodyOf(current), workflowId })
      })
      if (!isSent) return setMove(id, undefined)
      setMove(id, { workflowId, place, baseUpdatedAt, isSaved: true })
      if (saved) onSaved(saved)
      reportMove(services, { current, formerNeighbour, place, stage: { id: workflowId, name }, onSaved })
    } catch (error) {
      setMove(id, undefined)
      const values = { name: current.name, stage: stageNameOf(current.workflowId) }
      const text = `${t('{name} stays in {stage}.', values)} ${sentenceOf(error)}`
      services.toasts.show({ kind: 'problem', text })
    }
  }
  const rows = useMemo(
    () =>
      stored.map((storedRow) => {
        const row = withQueuedStage(storedRow)
        const { workflowId = row.workflowId, place } = moves.get(row.id) ?? {}
        // Returns the same row if it is not moving, so that its card is not rendered again.
        if (workflowId === row.workflowId && !place) return row
        return { ...row, workflowId, ...(place && { rank: place.rank }) }
      }),
    [stored, moves, queuedChanges.value],
  )
  return {
    rows,
    move(assignment, stage, place) {
      const { id, workflowId, updatedAt } = assignment
      if (workflowId === stage.id && !place) return
      setMove(id, { workflowId: stage.id, place, baseUpdatedAt: updatedAt, isSaved: false })
      const previous = queues.current.get(assignment.id) ?? Promise.resolve()
      queues.current.set(
        assignment.id,
        previous.then(() => send(assignment, stage, place)),
      )
    },
  }
}

const stageChange = (
  { id, workflowId }: Assignment,
  to: StageChange['to'],
  place: Place | undefined,
): StageChange => ({ kind: 'stage', assignmentId: id, from: workflowId, to, neighbour: place?.neighbour })

interface SavedMove {
  /** The assignment before the move. */
  readonly current: Assignment
  readonly formerNeighbour: Place['neighbour']
  readonly stage: StageChange['to']
  readonly place: Place | undefined
  onSaved(row: Assignment): void
}

function reportMove(
  services: Services,
  { current, formerNeighbour, stage, place, onSaved }: SavedMove,
): void {
  const values = { name: current.name, stage: stage.name }
  const after = { ...current, workflowId: stage.id }
  if (place) {
    const text = t('{name} is now number {number} in {stage}.', { ...values, number: place.number })
    const move = (workflowId: string, neighbour: Place['neighbour']) => () =>
      saveMove(services, current.id, workflowId, neighbour).then(onSaved, throwUnchanged(current.name))
    services.toasts.show({
      kind: 'done',
      text,
      undo: move(current.workflowId, formerNeighbour),
      redo: move(stage.id, place.neighbour),
    })
    if (current.workflowId !== stage.id) void warnOfOpenParts(services, [after])
    return
  }
  const text = t('{name} is now in {stage}.', values)
  offerUndo(services, { before: current, after, names: ['workflowId'], text, onSaved })
}

/** Returns the neighbour of a card in the manual order: the card above it, or else the card below it. */
function neighbourOf(card: Assignment, rows: readonly Assignment[]): Place['neighbour'] {
  const otherCards = rows.filter(({ id, workflowId }) => id !== card.id && workflowId === card.workflowId)
  const above = otherCards
    .filter((other) => byRank(other, card) < 0)
    .toSorted(byRank)
    .at(-1)
  const below = otherCards.filter((other) => byRank(other, card) > 0).toSorted(byRank)[0]
  if (above) return { afterId: above.id }
  return below ? { beforeId: below.id } : { afterId: null }
}

/** Saves the move, and returns the row with its new rank. */
const saveMove = async (
  { tracker }: Services,
  id: string,
  workflowId: string,
  neighbour: Place['neighbour'],
): Promise<Assignment> =>
  (await tracker.call('POST /ext/assignment/move', { body: { id, workflowId, ...neighbour } })).assignment
