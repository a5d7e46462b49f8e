import type { ResourceName } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { useServices } from '../services/services.ts'
import { type MessageKey, t } from '../texts/text.ts'

/**
 * Returns a function that removes records and shows a message with Undo, or the error. `message` replaces the
 * default if users would not call this a removal; `leave` goes to another screen before the message is
 * shown.
 */
export function useRemoval() {
  const { api, toasts } = useServices()
  return async (
    resource: ResourceName,
    ids: string | readonly string[],
    name: string,
    message: MessageKey = '{name} was removed.',
    leave?: () => void,
  ): Promise<boolean> => {
    const removed = [ids].flat()
    const report = (error: unknown) => toasts.show({ kind: 'problem', text: `${name}: ${sentenceOf(error)}` })
    try {
      await api.remove(resource, removed)
    } catch (error) {
      report(error)
      return false
    }
    leave?.()
    const undo = () => api.restore(resource, removed).catch(report)
    toasts.show({ kind: 'done', text: t(message, { name }), undo })
    return true
  }
}
