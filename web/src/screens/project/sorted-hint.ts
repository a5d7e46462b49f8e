import type { Services } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { chooseOrder } from './project-filters.tsx'

/** Says why a dropped card stays in its place, and offers the order by hand if there is one. */
export function showSortedHint(
  { configuration, router, toasts }: Services,
  { projectId }: { readonly projectId: string },
  isDone: boolean,
): void {
  const run = () => chooseOrder(router, projectId, 'hand')
  toasts.show({
    kind: 'done',
    text: isDone
      ? t('Finished work is sorted by its last change.')
      : t('These assignments are sorted by their end.'),
    action: isDone || !configuration.extensions ? undefined : { label: t('By hand'), run },
  })
}
