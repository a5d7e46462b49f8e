import { useId } from 'preact/hooks'
import type { Hours } from './report.ts'

export type SwatchKind = 'recorded' | 'planned' | 'over'

/** Shows a sample of a bar, for the legend. */
export const Swatch = ({ of }: { readonly of: SwatchKind }) => (
  <span class={`hours-swatch ${of}-swatch`} aria-hidden="true" />
)

/** Hatches planned hours, so that they can be recognized without colors. */
export const PlannedPattern = ({ id }: { readonly id: string }) => (
  <defs>
    <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="planned-background" width="5" height="5" />
      <rect class="planned-line" width="1.5" height="5" />
    </pattern>
  </defs>
)

/** Splits recorded hours into those within and over the plan. Other people may have recorded the latter. */
export const splitRecorded = ({ recorded, over }: Pick<Hours, 'recorded' | 'over'>) => {
  const within = Math.max(0, recorded - over)
  return { within, over: recorded - within }
}

// All sizes are in pixels.
const trackHeight = 14
const recordedHeight = 6

interface HoursTrackProps extends Pick<Hours, 'planned' | 'recorded' | 'over'> {
  /** The number of hours that the whole width stands for. */
  readonly max: number
}

/** Shows recorded hours as a bar in front of the outlined bar of the planned ones; the excess is amber. */
export function HoursTrack({ planned, recorded, max, ...props }: HoursTrackProps) {
  const id = useId()
  const { within, over } = splitRecorded({ recorded, over: props.over })
  const lengthOf = (hours: number) => `${(hours / Math.max(max, 1)) * 100}%`
  const inner = { y: (trackHeight - recordedHeight) / 2, height: recordedHeight, rx: 2 }
  return (
    <svg width="100%" height={trackHeight} aria-hidden="true">
      <PlannedPattern id={id} />
      {planned > 0 && (
        <rect
          class="planned"
          fill={`url(#${id})`}
          x="0.5"
          y="0.5"
          width={lengthOf(planned)}
          height={trackHeight - 1}
          rx="3"
        />
      )}
      {over > 0 && <rect class="over" {...inner} width={lengthOf(recorded)} />}
      {within > 0 && <rect class="recorded" {...inner} width={lengthOf(within)} />}
    </svg>
  )
}
