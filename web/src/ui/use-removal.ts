import type { ResourceName } from '../api/api.ts'
import { sentenceOf } from '../api/api-problem.ts'
import { useServices } from '../services/services.ts'
import { undoLabel } from '../services/toasts.ts'
import { type Text, t } from '../texts/text.ts'

/**
 * Removes records at once, and offers to take all of them back together; a refusal is shown. `said` tells what became of
 * them where that is not removal to people.
 */
export function useRemoval() {
  const { api, toasts } = useServices()
  const tell = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
  return async (
    resource: ResourceName,
    ids: string | readonly string[],
    name: string,
    said: Text = '{name} was removed.',
  ): Promise<boolean> => {
    const removed = [ids].flat()
    try {
      await api.remove(resource, removed)
    } catch (error) {
      tell(error)
      return false
    }
    const run = () => api.restore(resource, removed).catch(tell)
    toasts.show({
      kind: 'done',
      text: t(said, { name }),
      action: { label: undoLabel(), run },
    })
    return true
  }
}
