import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../api/api.ts'
import { sentenceOf } from '../../api/api-problem.ts'
import { fieldsOf } from '../../assignment/assignment-values.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'

type Assignment = RecordOf<'assignment'>

interface Move {
  readonly workflowId: string
  /** The record's last change when the move began; a later one tells how it ended. */
  readonly since: string | null
  readonly isSaved: boolean
}

export interface Moves {
  /** The assignments in the stages that the person moved them to, also before the interface has confirmed it. */
  readonly rows: readonly Assignment[]
  /** For screen readers: what the last move did. */
  readonly news: string
  move(assignment: Assignment, stage: { readonly id: string; readonly name: string }): void
}

/** Moves at once, and back again with a message when refused. Moves of one card are sent one after the other. */
export function useMoves(stored: readonly Assignment[], stageNameOf: (id: string) => string): Moves {
  const { api, toasts } = useServices()
  const [moves, setMoves] = useState<ReadonlyMap<string, Move>>(new Map())
  const [news, setNews] = useState('')
  const latest = useRef(stored)
  latest.current = stored
  const queues = useRef(new Map<string, Promise<void>>())
  const set = (id: string, move: Move | undefined) =>
    setMoves((all) => {
      const next = new Map(all)
      if (move === undefined) next.delete(id)
      else next.set(id, move)
      return next
    })
  useEffect(() => {
    for (const { id, workflowId, updatedAt } of stored) {
      const move = moves.get(id)
      if (move?.isSaved && (workflowId === move.workflowId || updatedAt !== move.since)) set(id, undefined)
    }
  }, [stored, moves])
  const send = async (assignment: Assignment, workflowId: string, name: string) => {
    const { id } = assignment
    // As it is now: fields that others changed meanwhile must not be set back.
    const current = latest.current.find((row) => row.id === id) ?? assignment
    const since = current.updatedAt
    try {
      await api.update('assignment', { ...fieldsOf(current), workflowId })
      set(id, { workflowId, since, isSaved: true })
      setNews(t('{name} is in {stage} now.', { name: current.name, stage: name }))
    } catch (error) {
      set(id, undefined)
      const stays = { name: current.name, stage: stageNameOf(current.workflowId) }
      const text = `${t('{name} stays in {stage}.', stays)} ${sentenceOf(error)}`
      toasts.show({ kind: 'problem', text })
    }
  }
  const rows = useMemo(
    () =>
      stored.map((row) => {
        const workflowId = moves.get(row.id)?.workflowId ?? row.workflowId
        // The same row where nothing moves it, so that its card need not be drawn again.
        return workflowId === row.workflowId ? row : { ...row, workflowId }
      }),
    [stored, moves],
  )
  return {
    rows,
    news,
    move(assignment, stage) {
      if (assignment.workflowId === stage.id) return
      set(assignment.id, { workflowId: stage.id, since: assignment.updatedAt, isSaved: false })
      const before = queues.current.get(assignment.id) ?? Promise.resolve()
      queues.current.set(
        assignment.id,
        before.then(() => send(assignment, stage.id, stage.name)),
      )
    },
  }
}
