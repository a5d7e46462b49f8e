import { t } from '../../texts/text.ts'
import { Icon } from '../../ui/icon.tsx'

interface PeriodStepsProps {
  /** The displayed period, such as November 2026. */
  readonly label: string
  readonly isNow: boolean
  readonly labels: { readonly before: string; readonly after: string; readonly now: string }
  onStep(count: -1 | 1): void
  onNow(): void
}

/** Shows buttons for the previous, the next and the current period. */
export const PeriodSteps = ({ label, isNow, labels, onStep, onNow }: PeriodStepsProps) => (
  <nav class="week-steps" aria-label={t('Period')}>
    <button type="button" class="button icon-only" aria-label={labels.before} onClick={() => onStep(-1)}>
      <Icon name="left" />
    </button>
    <strong class="week-range" role="status">
      {label}
    </strong>
    <button type="button" class="button icon-only" aria-label={labels.after} onClick={() => onStep(1)}>
      <Icon name="right" />
    </button>
    <button type="button" class="button" aria-disabled={isNow} onClick={onNow}>
      {labels.now}
    </button>
  </nav>
)
