import { useState } from 'preact/hooks'
import { sentenceOf } from '../api/problems.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'

/** Turns notifications about an assignment on or off, whether or not the user is involved in it. */
export function WatchButton({ assignmentId }: { readonly assignmentId: string }) {
  const { toasts, tracker } = useServices()
  const [chosen, setChosen] = useState<boolean>()
  const { value } = useLoaded(
    `watch-${assignmentId}`,
    ['assignment', 'userAssignment', 'comment'],
    async (signal) => {
      const { watch } = await tracker.call('GET /ext/watch', { query: { assignmentId } }, { signal })
      setChosen(undefined)
      return watch
    },
  )
  if (!value) return null
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
  return (
    <button
      type="button"
      class="button quiet icon-only watch"
      aria-pressed={isWatching}
      aria-label={t('Watch')}
      title={isWatching ? t('Stop watching') : t('Watch')}
      onClick={() => void choose()}
    >
      <Icon name="bell" />
    </button>
  )
}
