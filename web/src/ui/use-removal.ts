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
    const run = (operation: 'remove' | 'restore') => () =>
      api[operation](resource, removed).catch((error) => {
        throw new Error(`${name}: ${sentenceOf(error)}`)
      })
    const remove = run('remove')
    try {
      await remove()
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
      return false
    }
    leave?.()
    toasts.show({ kind: 'done', text: t(message, { name }), undo: run('restore'), redo: remove })
    return true
  }
}
