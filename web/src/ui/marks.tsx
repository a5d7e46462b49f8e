import { hashOf } from '../api/people.ts'
import type { Label } from '../data/project-links.ts'
import type { StageLook } from '../data/project-stages.ts'
import { t } from '../texts/text.ts'
import { formatHours, formatNumber, splitHours } from '../time/hours.ts'

/** The names of the hues in `tints.css`. Neighbours in the list below are easily told apart. */
export type Hue = Label['color']

const hues: readonly Hue[] = [
  'blue',
  'green',
  'orange',
  'purple',
  'pink',
  'cyan',
  'amber',
  'indigo',
  'teal',
  'red',
  'brown',
  'gray',
]

/**
 * The last three hues are never derived: red reads as an error, brown and gray as if no color were chosen.
 */
const vividHueCount = hues.length - 3

const hueAt = (index: number): Hue => hues[index % vividHueCount] as Hue

/** Derives a hue from the id of a project. */
export const hueOf = (id: string): Hue => hueAt(hashOf(id))

const partRadius = 2
const partLength = 2 * Math.PI * partRadius

/**
 * A circle that fills up towards the last stage. It is decorative, because the name of the stage is next to
 * it.
 */
export const StageMark = ({ color, progress, isDone }: StageLook) => (
  <svg class="mark" viewBox="0 0 16 16" data-color={color} aria-hidden="true">
    <circle class="mark-ring" cx="8" cy="8" r="6" />
    {isDone ? (
      <path
        class="mark-disc"
        d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zm-.9 8.6L4.7 8.2l1-1 1.4 1.4 3.2-3.2 1 1z"
      />
    ) : (
      <circle
        class="mark-part"
        cx="8"
        cy="8"
        r={partRadius}
        stroke-dasharray={`${progress * partLength} ${partLength}`}
        transform="rotate(-90 8 8)"
      />
    )}
  </svg>
)

/** Shows how many parts of an assignment are done, such as 1/3, with a circle that fills up. */
export const PartsMark = ({ done, count }: { readonly done: number; readonly count: number }) => {
  const text = t('{done} of {count} done', { done, count })
  const isDone = done === count
  return (
    <span class="parts-mark" title={text}>
      <StageMark color={isDone ? 'green' : 'blue'} progress={done / count} isDone={isDone} />
      <span aria-hidden="true">
        {done}/{count}
      </span>
      <span class="visually-hidden">{text}</span>
    </span>
  )
}

/**
 * Users choose the names of types. Common names have their own shape and colour, in all languages of the
 * client.
 */
const typeLooks: readonly (readonly [name: RegExp, color: Hue, path: string])[] = [
  [
    /bug|defect|erro|defeito|falha/i,
    'red',
    'M5.5 7a2.5 2.5 0 0 1 5 0v3a2.5 2.5 0 0 1-5 0zM2.5 8.5h3M10.5 8.5h3M3.5 4.5l2 1.5M12.5 4.5l-2 1.5M3.5 12.5l2-1.5M12.5 12.5l-2-1.5M8 6v6',
  ],
  [
    /feature|story|função|funcional|história/i,
    'green',
    'M8 2l1.8 3.9 4.2.5-3.1 2.9.8 4.2L8 11.4l-3.7 2.1.8-4.2L2 6.4l4.2-.5z',
  ],
  [
    /design|desenho|layout/i,
    'pink',
    'M2.5 2.5l1.8 7.2 4 1.6 3-3-1.6-4zM2.5 2.5l4.3 4.3M8.6 7.7a.9.9 0 1 1-1.8 0 .9.9 0 0 1 1.8 0zM9.5 12.5l3-3 1.3 1.3-3 3z',
  ],
  [
    /research|spike|pesquisa|estudo/i,
    'purple',
    'M6 2.5h4M6.6 2.5v4L3.2 12.4a.75.75 0 0 0 .65 1.1h8.3a.75.75 0 0 0 .65-1.1L9.4 6.5v-4M4.9 10h6.2',
  ],
  [/epic|épico/i, 'indigo', 'M9 2L3.5 9H8l-1 5 5.5-7H8z'],
  [/chore|task|tarefa|rotina/i, 'blue', 'M3 3h10v10H3zM5.5 8l2 2 3-4'],
  [/doc|text/i, 'teal', 'M4 2.5h5L12 5.5v8H4zM6.5 7.5h3M6.5 10h3'],
]

/** Other types get one of these shapes, derived from their name. */
const typeShapes: readonly string[] = [
  'M8 2.5L13.5 8 8 13.5 2.5 8z',
  'M8 3l5.5 10h-11z',
  'M3 3h10v10H3z',
  'M8 2l5.2 3v6L8 14l-5.2-3V5z',
  'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11z',
]

/** A type as a shape in its colour; decorative, for places that show its name. */
export function TypeShape({ name }: { readonly name: string }) {
  const sum = [...name].reduce((total, character) => total + (character.codePointAt(0) ?? 0), name.length)
  const derived = [name, hueAt(sum), typeShapes[sum % typeShapes.length]] as const
  const [, color, path] = typeLooks.find(([pattern]) => pattern.test(name)) ?? derived
  return (
    <svg class="icon type-shape" viewBox="0 0 16 16" data-color={color} aria-hidden="true">
      <path d={path} />
    </svg>
  )
}

/** A type as a shape with its name for assistive technology. */
export const TypeMark = ({ name }: { readonly name: string }) => (
  <span class="type-mark" title={name}>
    <TypeShape name={name} />
    <span class="visually-hidden" dir="auto">
      {name}
    </span>
  </span>
)

const priorityHues: readonly Hue[] = ['gray', 'gray', 'blue', 'orange', 'red']
const bars: readonly string[] = ['M3 10h2v3H3z', 'M7 7h2v6H7z', 'M11 4h2v9h-2z']

/**
 * A priority as rising bars, from 1 to 3, or as an exclamation mark for 4. It is decorative, for places that
 * show its name.
 */
export const PriorityShape = ({ priority }: { readonly priority: number }) => (
  <svg class="mark" viewBox="0 0 16 16" data-color={priorityHues[priority]} aria-hidden="true">
    {priority >= bars.length + 1 ? (
      <path
        class="mark-disc"
        d="M4 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2zm3.2 2.5v4.2h1.6V4.5zm0 5.6v1.6h1.6v-1.6z"
      />
    ) : (
      bars.map((path, index) => (
        <path key={path} class={index < priority ? 'mark-disc' : 'mark-rest'} d={path} />
      ))
    )}
  </svg>
)

/** A priority as a shape with its name for assistive technology. */
export const PriorityMark = ({ priority, name }: { readonly priority: number; readonly name: string }) => (
  <span class="priority-mark" title={name}>
    <PriorityShape priority={priority} />
    <span class="visually-hidden">{name}</span>
  </span>
)

interface HoursMarkProps {
  readonly planned: number
  readonly recorded?: number | undefined
  /** The recorded hours over the plan. In a sum, they are over the plans of its parts. */
  readonly over?: number | undefined
  /** Finished work has no bar, because nothing of it is left. */
  readonly isDone?: boolean
}

/** A bar that is filled as far as hours of a plan are recorded, or as parts of a whole are done. */
export function HoursBar({ planned, recorded = 0, over = Math.max(0, recorded - planned) }: HoursMarkProps) {
  const parts = splitHours({ recorded, over })
  const whole = Math.max(planned, recorded)
  return (
    <svg class="share-bar" viewBox={`0 0 ${whole} 4`} preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-track" width={whole} height="4" />
      <rect class="bar-over" x={parts.within} width={parts.over} height="4" />
      <rect class="bar-part" width={parts.within} height="4" />
    </svg>
  )
}

/** Shows the planned hours and, as soon as some are recorded, how many these are, with a bar of open work. */
export function HoursMark({ planned, recorded = 0, over, isDone = false }: HoursMarkProps) {
  if (recorded === 0)
    return planned === 0 ? null : (
      <span class="hours-mark" title={t('Planned hours')}>
        {formatHours(planned)}
      </span>
    )
  const values = { recorded: formatNumber(recorded), planned: formatNumber(planned) }
  const figures = t('{recorded}/{planned} h', planned === 0 ? { ...values, planned: '–' } : values)
  // A card without room for both figures shows the planned hours.
  const [first, last] = planned === 0 ? [figures] : figures.split(/(?<=\/)/)
  const text =
    planned === 0
      ? t('{hours} recorded, no hours planned yet', { hours: formatHours(recorded) })
      : t('{recorded} of {planned} h recorded', values)
  return (
    <span class={`hours-mark recorded ${planned > 0 && recorded > planned ? 'over' : ''}`} title={text}>
      <span class="hours-figures" aria-hidden="true">
        <span>{first}</span>
        <span>{last}</span>
      </span>
      <span class="visually-hidden">{text}</span>
      {planned > 0 && !isDone && <HoursBar planned={planned} recorded={recorded} over={over} />}
    </span>
  )
}
