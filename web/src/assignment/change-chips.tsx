import type { ComponentChildren } from 'preact'
import type { Change } from '#tracker-client'
import { assignmentPath } from '../router/router.ts'
import { capitalize, nounOf } from '../texts/declared-names.ts'
import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { PriorityShape, StageMark, TypeShape } from '../ui/marks.tsx'
import { PersonAvatar } from '../ui/people.tsx'
import type { FieldChange } from './change-texts.ts'
import type { ChangeNames } from './use-history.ts'

const ColorDot = ({ color }: { readonly color: string | undefined }) => (
  <span class="label-dot" data-color={color} />
)

type MarkOf = (value: string, names: ChangeNames) => ComponentChildren

/** Draws the mark that a value has on other screens, by its property. */
const marks: Readonly<Record<string, MarkOf>> = {
  workflowId(id, { looks }) {
    const look = looks.get(id)
    return look && <StageMark {...look} />
  },
  userId: (id) => <PersonAvatar id={id} isDecorative />,
  priority: (value) => <PriorityShape priority={Number(value)} />,
  assignmentTypeId: (id, { nameOf }) => <TypeShape name={nameOf('assignmentTypeId', id) ?? ''} />,
  labelId: (id, { colorOf }) => <ColorDot color={colorOf(id)} />,
  color: (value) => <ColorDot color={value} />,
  impedimentId: () => <Icon name="warning" />,
  blockedById: () => <Icon name="link" />,
}

const markOf = (property: string, value: unknown, names: ChangeNames): ComponentChildren =>
  value === null || value === undefined ? undefined : marks[property]?.(String(value), names)

interface ValueChipProps {
  readonly property: string
  /** The value as it is stored; `text` is its formatted form. */
  readonly value: unknown
  readonly text: string
  readonly names: ChangeNames
}

/** A new value, with its mark. */
export const ValueChip = ({ property, value, text, names }: ValueChipProps) => (
  <span class="change-chip">
    {markOf(property, value, names)}
    <bdi>{text}</bdi>
  </span>
)

interface FieldChipProps {
  readonly field: FieldChange
  readonly names: ChangeNames
}

/** A changed field with its earlier and its new value. For a long text, only the name is shown. */
export const FieldChip = ({
  field: { property, name, before, after, value, isText },
  names,
}: FieldChipProps) => (
  <span class="change-chip">
    <span class="quiet-text">{name}</span>
    {!isText && before !== '' && <del dir="auto">{before}</del>}
    {!isText && before !== '' && after !== '' && <Icon name="right" />}
    {!isText && markOf(property, value, names)}
    {!isText && <bdi>{after}</bdi>}
  </span>
)

/** The property by which a link names another record. */
const linkedProperties: Readonly<Record<string, string>> = {
  userAssignment: 'userId',
  userProject: 'userId',
  assignmentImpediment: 'impedimentId',
  assignmentLabel: 'labelId',
  assignmentDependency: 'blockedById',
}

interface LinkedRecord {
  readonly property: string
  readonly id: string
}

/** Returns the record that a link with these values names, such as a label of an assignment. */
export function linkedRecordOf(
  { resource }: Change,
  values: NonNullable<Change['after']>,
): LinkedRecord | undefined {
  const property = linkedProperties[resource]
  const id = property && values[property]
  return property && typeof id === 'string' ? { property, id } : undefined
}

interface LinkChipProps {
  readonly change: Change
  readonly linked: LinkedRecord
  /** Names the kind of the record, if the sentence does not. */
  readonly showsKind: boolean
  readonly names: ChangeNames
}

/** A person, label, impediment or other assignment that was added to an assignment, or removed from it. */
export function LinkChip({ change, linked: { property, id }, showsKind, names }: LinkChipProps) {
  const { resource, action, projectId } = change
  const text = names.nameOf(property, id) ?? (names.isStale ? '…' : t('another one'))
  const isLink = property === 'blockedById' && projectId !== null
  const name = isLink ? <a href={assignmentPath(projectId, id)}>{text}</a> : text
  return (
    <span class="change-chip">
      {showsKind && (
        <span class="quiet-text">
          {action === 'remove' ? '−' : '+'} {capitalize(nounOf(resource))}
        </span>
      )}
      {markOf(property, id, names)}
      {action === 'remove' ? <del dir="auto">{name}</del> : <bdi>{name}</bdi>}
    </span>
  )
}
