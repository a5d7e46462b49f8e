import { useServices } from '../../services/services.ts'
import { inOneLine, t } from '../../texts/text.ts'
import { showMoment } from '../../time/moments.ts'
import { type RemovedRow, titleOf } from './removed-rows.ts'

export interface RemovedLineProps {
  readonly row: RemovedRow
  /** Where rows of other kinds stand beside it. */
  readonly kind: string | undefined
  readonly names: Parameters<typeof titleOf>[2]
  readonly removerId: string | undefined
  readonly problem: string | undefined
  onRestore(row: RemovedRow, title: string): void
}

/** What it was, who has removed it when, and the way back. */
export function RemovedLine({ row, kind, names, removerId, problem, onRestore }: RemovedLineProps) {
  const { people } = useServices()
  const title = titleOf(row, people.nameOf, names)
  const more = row.login ?? row.description
  const moment = row.deletedAt === null ? '' : showMoment(row.deletedAt)
  const removed =
    removerId === undefined
      ? t('Removed {moment}', { moment })
      : t('Removed by {name}, {moment}', { name: people.nameOf(removerId), moment })
  return (
    <li class="row">
      <span class="row-text">
        {kind && <span class="chip removed-kind">{kind}</span>} <span>{title}</span>
        <span class="quiet-text line">{inOneLine(more, removed)}</span>
        {problem && (
          <span class="field-errors line" role="alert">
            {problem}
          </span>
        )}
      </span>
      <button
        type="button"
        class="button"
        aria-label={t('Restore {name}', { name: title })}
        onClick={() => onRestore(row, title)}
      >
        {t('Restore')}
      </button>
    </li>
  )
}
