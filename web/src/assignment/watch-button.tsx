import { useState } from 'preact/hooks'
import { sentenceOf } from '../api/problems.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'

interface Watch {
  readonly isWatching: boolean
  toggle(): void
}

/**
 * Returns whether the user is notified about an assignment, and a function that turns this on or off. Returns
 * undefined while the state is unknown.
 */
export function useWatch(assignmentId: string | undefined): Watch | undefined {
  const { toasts, tracker } = useServices()
  const [chosen, setChosen] = useState<boolean>()
  const { value } = useLoaded(
    `watch-${assignmentId}`,
    ['assignment', 'userAssignment', 'comment'],
    async (signal) => {
      if (assignmentId === undefined) return undefined
      const { watch } = await tracker.call('GET /ext/watch', { query: { assignmentId } }, { signal })
      setChosen(undefined)
      return watch
    },
  )
  if (!value || assignmentId === undefined) return undefined
  const isWatching = chosen ?? value.isWatching
  const choose = async () => {
    setChosen(!isWatching)
    try {
      await tracker.call('PATCH /ext/watch', { body: { assignmentId, isWatching: !isWatching } })
      toasts.show({
        kind: 'done',
        text: isWatching
          ? t('You are no longer notified about this assignment.')
          : t('You are notified about this assignment.'),
      })
    } catch (error) {
      setChosen(isWatching)
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
  return { isWatching, toggle: () => void choose() }
}

export const WatchButton = ({ isWatching, toggle }: Watch) => (
  <button
    type="button"
    class="button quiet icon-only watch"
    aria-pressed={isWatching}
    aria-label={t('Watch')}
    title={isWatching ? t('Stop watching') : t('Watch')}
    onClick={toggle}
  >
    <Icon name="bell" />
  </button>
)
