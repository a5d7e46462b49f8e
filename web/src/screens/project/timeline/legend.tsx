import { dailyTarget } from '../../../assignment/daily-target.ts'
import { type ProjectStage, stageLooksOf } from '../../../data/project-stages.ts'
import { t } from '../../../texts/text.ts'
import { formatHours } from '../../../time/hours.ts'
import { Icon } from '../../../ui/icon.tsx'
import { StageMark } from '../../../ui/marks.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { fullWeekShare } from './workload.ts'

interface LegendProps {
  readonly stages: readonly ProjectStage[]
  readonly doneStageIds: ReadonlySet<string>
  /** The ids of the stages of the shown bars. */
  readonly shownStageIds: ReadonlySet<string>
  /** Phones draw no dependencies. */
  readonly hasArrows: boolean
}

/** Explains the colors, icons and lines of the timeline. */
export const Legend = (props: LegendProps) => (
  <Popover
    label={t('Legend')}
    buttonClass="button quiet legend-button"
    button={
      <>
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5V11M8 5v.01" />
        </svg>
        <span>{t('Legend')}</span>
      </>
    }
  >
    <LegendLines {...props} />
  </Popover>
)

const swatch = (name: string) => <span class={`swatch ${name}`} />

const arrowLines = () =>
  [
    [swatch('arrow'), t('Waits for another assignment')],
    [swatch('too-early'), t('Starts before what it waits for ends')],
  ] as const

function LegendLines({ stages, doneStageIds, shownStageIds, hasArrows }: LegendProps) {
  const looks = stageLooksOf(stages, doneStageIds)
  const lines = [
    ...stages
      .filter(({ id }) => shownStageIds.has(id))
      .map(({ id, name }) => {
        const look = looks.get(id)
        return [look && <StageMark {...look} />, name] as const
      }),
    [<Icon name="warning" />, t('Blocked or waiting')],
    [
      <span class="late">
        <Icon name="clock" />
      </span>,
      t('Overdue'),
    ],
    ...(hasArrows ? arrowLines() : []),
    [swatch('low'), t('Up to {hours} a day', { hours: formatHours(dailyTarget()) })],
    [swatch('over'), t('More than that')],
    [swatch('far-over'), t('Far more than that')],
    [swatch('fits'), t('A week that is more than {percent} % full', { percent: 100 * fullWeekShare })],
  ] as const
  return (
    <>
      <ul class="timeline-legend">
        {lines.map(([mark, text]) => (
          <li key={text}>
            <span class="legend-mark" aria-hidden="true">
              {mark}
            </span>
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ul>
      <p class="touch-hint quiet-text">{t('Hold a bar to move it.')}</p>
    </>
  )
}
