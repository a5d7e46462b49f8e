import { sentenceOf } from '../api/api-problem.ts'
import { useServices } from '../services/services.ts'
import { undoLabel } from '../services/toasts.ts'
import { tn } from '../texts/text.ts'
import { useRemoval } from '../ui/use-removal.ts'

/** Removes those that can be, such as without recorded time; the others stay, and the message says why. */
export function useRemoveMany() {
  const { api, configuration, toasts } = useServices()
  const removeTogether = useRemoval()
  const tell = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
  const removeEach = async (ids: readonly string[]) => {
    const items = ids.map((id) => ({ operation: 'remove' as const, body: { ids: [id] } }))
    const results = await api.batch('assignment', items)
    const removed = ids.filter((_, index) => results[index]?.statusCode === 200)
    const restore = () =>
      api.batch('assignment', [{ operation: 'restore', body: { ids: removed } }]).then(() => undefined, tell)
    if (removed.length > 0)
      toasts.show({
        kind: 'done',
        text: tn(removed.length, 'One assignment was removed.', '{count} assignments were removed.'),
        action: { label: undoLabel(), run: restore },
      })
    const kept = ids.length - removed.length
    const why = results.find(({ statusCode }) => statusCode !== 200)?.message ?? ''
    const stays = tn(kept, 'One assignment stays.', '{count} assignments stay.')
    if (kept > 0) toasts.show({ kind: 'problem', text: `${stays} ${why}` })
  }
  return async (ids: readonly string[]): Promise<void> => {
    if (configuration.extensions) await removeEach(ids).catch(tell)
    else await removeTogether('assignment', ids, tn(ids.length, 'One assignment', '{count} assignments'))
  }
}
