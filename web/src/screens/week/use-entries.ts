import { useEffect, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../../api/problems.ts'
import { deleteDraft, readDraft, writeDraft } from '../../forms/drafts.ts'
import { parseHours } from '../../forms/fields.tsx'
import { useServices } from '../../services/services.ts'
import { undoLabel } from '../../services/toasts.ts'
import { t } from '../../texts/text.ts'
import { type Appointment, type Cell, cellKeyOf } from './week.ts'

/** Unsaved text of a cell. */
export interface Typed {
  readonly text: string
  readonly problem?: string
}

type Changes = ReadonlyMap<string, { readonly entry: Appointment | undefined; readonly isSaved: boolean }>

export type Entries = ReturnType<typeof useEntries>

/**
 * The user's entries, including those being saved. Rejected text stays in its cell with the reason, until it is saved or
 * discarded; it survives a reload.
 */
export function useEntries(userId: string, loaded: readonly Appointment[]) {
  const { entries, begin, settle } = useChanges(loaded)
  const { typed, type, revert } = useTyped(userId)
  const send = useSend()
  const last = useRef<Promise<void>>(Promise.resolve())
  const save = (cell: Cell, text: string) => {
    const former = cell.entries[0]
    // The API names its field, but a cell has only one.
    const reject = (error: unknown) => type(cell, text, sentenceOf(error).replace('AmountHours', t('Hours')))
    try {
      const hours = text.trim() === '' ? 0 : parseHours(text, 'amountHours')
      revert(cell)
      if (hours === (former?.amountHours ?? 0)) return
      const next = hours === 0 ? undefined : { ...(former ?? newEntry(cell, userId)), amountHours: hours }
      const id = (next ?? former)?.id ?? ''
      begin(id, next)
      // Sent one after the other: the next change of a cell may depend on the one before.
      last.current = last.current
        .then(() => send(former, next))
        .then(
          () => settle(id, next, true),
          (error) => {
            settle(id, next, false)
            reject(error)
          },
        )
    } catch (error) {
      reject(error)
    }
  }
  return { entries, typed, type, revert, save }
}

/** The id is chosen here, so that the entry is known before the response. */
const newEntry = ({ assignmentId, day }: Cell, userId: string): Appointment => ({
  id: crypto.randomUUID(),
  assignmentId,
  userId,
  keepDate: day,
  amountHours: 0,
  description: null,
  createdAt: new Date().toISOString(),
  updatedAt: null,
  deletedAt: null,
  active: true,
})

function useChanges(loaded: readonly Appointment[]) {
  const [changes, setChanges] = useState<Changes>(new Map())
  // Everything saved before this request is among the entries.
  useEffect(() => {
    setChanges((all) => new Map([...all].filter(([, { isSaved }]) => !isSaved)))
  }, [loaded])
  const begin = (id: string, entry: Appointment | undefined) =>
    setChanges((all) => new Map(all).set(id, { entry, isSaved: false }))
  /** Skipped if the entry was changed again meanwhile. */
  const settle = (id: string, entry: Appointment | undefined, isSaved: boolean) =>
    setChanges((all) => {
      if (all.get(id)?.entry !== entry) return all
      const next = new Map(all)
      if (isSaved) next.set(id, { entry, isSaved })
      else next.delete(id)
      return next
    })
  const entries = [
    ...loaded.filter(({ id }) => !changes.has(id)),
    ...[...changes.values()].flatMap(({ entry }) => entry ?? []),
  ]
  return { entries, begin, settle }
}

function useTyped(userId: string) {
  const draft = `week-${userId}`
  const [typed, setTyped] = useState<ReadonlyMap<string, Typed>>(() => {
    const kept = Object.entries(readDraft<Record<string, string>>(draft))
    return new Map(kept.map(([key, text = '']) => [key, { text, problem: t('This is not saved yet.') }]))
  })
  useEffect(() => {
    if (typed.size === 0) return deleteDraft(draft)
    writeDraft(draft, Object.fromEntries([...typed].map(([key, { text }]) => [key, text])))
  }, [draft, typed])
  const type = (cell: Cell, text: string, problem?: string) =>
    setTyped((all) => new Map(all).set(cellKeyOf(cell), problem === undefined ? { text } : { text, problem }))
  const revert = (cell: Cell) =>
    setTyped((all) => new Map([...all].filter(([key]) => key !== cellKeyOf(cell))))
  return { typed, type, revert }
}

/** Creates, changes or removes, depending on the previous and the next entry. */
function useSend() {
  const { api, toasts } = useServices()
  return async (former: Appointment | undefined, next: Appointment | undefined): Promise<void> => {
    if (next === undefined) {
      if (former === undefined) return
      await api.remove('appointment', [former.id])
      const report = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
      const run = () => api.restore('appointment', [former.id]).catch(report)
      return toasts.show({
        kind: 'done',
        text: t('The entry was removed.'),
        action: { label: undoLabel(), run },
      })
    }
    const { id, keepDate, amountHours, assignmentId, userId } = next
    const body = { id, keepDate, amountHours, assignmentId, userId }
    if (former === undefined) await api.create('appointment', body)
    else await api.update('appointment', body)
  }
}
