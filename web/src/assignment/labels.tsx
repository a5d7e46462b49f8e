import type { ComponentChildren } from 'preact'
import type { Label } from '../data/project-links.ts'
import type { MessageKey } from '../texts/text.ts'

export type LabelColor = Label['color']

/** The colors in the order in which new labels get them. Each is a hue of `tints.css`. */
export const labelColors: Readonly<Record<LabelColor, MessageKey>> = {
  blue: 'Blue',
  green: 'Green',
  amber: 'Amber',
  red: 'Red',
  purple: 'Purple',
  teal: 'Teal',
  orange: 'Orange',
  pink: 'Pink',
  indigo: 'Indigo',
  cyan: 'Cyan',
  brown: 'Brown',
  gray: 'Gray',
}

interface ColorChoice {
  readonly id: string
  readonly name: MessageKey
  readonly color?: string
}

/** There is no empty choice, because every label has a color. */
export const labelColorChoices: readonly ColorChoice[] = Object.entries(labelColors).map(([id, name]) => ({
  id,
  name,
  color: id,
}))

/** The choices of a select, whose value is empty for the default. */
export const colorChoices: readonly ColorChoice[] = [{ id: '', name: 'Default' }, ...labelColorChoices]

type ChipLabel = Pick<Label, 'name' | 'color'> & Partial<Pick<Label, 'description'>>

/** A label in its color. `children` are its buttons. */
export const LabelChip = ({
  label,
  children,
}: {
  readonly label: ChipLabel
  readonly children?: ComponentChildren
}) => (
  <span
    class={`label-chip ${children ? 'removable' : ''}`}
    data-color={label.color}
    title={label.description || label.name}
  >
    <span class="label-name" dir="auto">
      {label.name}
    </span>
    {children}
  </span>
)
