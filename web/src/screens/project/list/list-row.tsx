import type { VNode } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../../../api/api.ts'
import { changeAssignment } from '../../../assignment/change-many.ts'
import { LabelChip } from '../../../assignment/labels.tsx'
import { dueColorOf, dueText, isLate, responsibleOf } from '../../../data/assignments.ts'
import type { PartCount } from '../../../data/project-links.ts'
import { assignmentPath } from '../../../router/router.ts'
import { useServices } from '../../../services/services.ts'
import { t } from '../../../texts/text.ts'
import type { IconName } from '../../../ui/icon.tsx'
import { HoursMark, PartsMark, PriorityShape, StageMark, TypeShape } from '../../../ui/marks.tsx'
import { PersonAvatar } from '../../../ui/people.tsx'
import type { NameLookup } from '../name-lookup.ts'
import { BlockReasonMark, RowFacts } from '../row-facts.tsx'
import { assignmentElementId } from '../use-card-focus.ts'
import type { Column } from './list-columns.ts'

type Assignment = RecordOf<'assignment'>

export const cellClassOf = ({ name, isNumber }: Column): string => `list-${name} ${isNumber ? 'number' : ''}`

interface ListRowProps {
  readonly row: Assignment
  /** The assignment that this row is a part of, if that assignment is in the list. */
  readonly parent: Assignment | undefined
  /** The number of the row's ancestors in the list. */
  readonly depth: number
  readonly parts: PartCount | undefined
  /** The recorded hours; undefined if there are none. */
  readonly recorded: number | undefined
  /** The position in the grid, counted from 1 for the head. */
  readonly ariaIndex: number
  readonly top: number
  readonly columns: readonly Column[]
  readonly names: NameLookup
  readonly isDone: boolean
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly isNarrow: boolean
  readonly query: string
  onSelect(id: string, isRange: boolean): void
}

/** Memoized, because a list has many rows. */
export function ListRow(props: ListRowProps) {
  const { row, ariaIndex, top, columns, names, isDone, isOpen, isSelected, isNarrow, query } = props
  return useMemo(
    () => <Row {...props} />,
    [
      row,
      props.parent?.name,
      props.depth,
      props.parts?.done,
      props.parts?.count,
      props.recorded,
      ariaIndex,
      top,
      columns,
      names,
      isDone,
      isOpen,
      isSelected,
      isNarrow,
      query,
      names.personOf(row.userId),
    ],
  )
}

function Row(props: ListRowProps) {
  const { row, ariaIndex, top, isDone, isOpen, isSelected, isNarrow, onSelect } = props
  const { id, name } = row
  const columns = isNarrow ? props.columns.filter((column) => column.name === 'name') : props.columns
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: see the grid in list-table.tsx
    // biome-ignore-start lint/a11y/useFocusableInteractive: arrows focus the cells
    <div
      role="row"
      data-row={id}
      aria-rowindex={ariaIndex}
      class={`list-line list-row ${isDone ? 'done' : ''} ${isOpen ? 'open' : ''} ${isSelected ? 'selected' : ''}`}
      style={{ top: `${top}px` }}
    >
      <span role="gridcell" class="list-check">
        <label>
          <input
            type="checkbox"
            aria-label={t('Select {name}', { name })}
            checked={isSelected}
            onClick={(event) => onSelect(id, event.shiftKey)}
          />
        </label>
      </span>
      {columns.map((column) => (
        <span
          key={column.name}
          role="gridcell"
          class={cellClassOf(column)}
          data-column={column.name}
          {...(column.name === 'name' && nameDataOf(props))}
          data-field={column.isEditable ? column.name : undefined}
        >
          {column.name === 'name' ? <NameCell {...props} /> : <Cell column={column} {...props} />}
        </span>
      ))}
    </div>
    // biome-ignore-end lint/a11y/useSemanticElements: see the grid in list-table.tsx
    // biome-ignore-end lint/a11y/useFocusableInteractive: arrows focus the cells
  )
}

/** Columns with an icon as their header. Their label becomes a tooltip and is read aloud. */
export const cellIcons: Readonly<Partial<Record<Column['name'], IconName>>> = { blocked: 'warning' }

type Mark = (row: Assignment, names: NameLookup) => VNode | undefined

/** The marks before the texts of cells. They are the same as on cards. */
export const cellMarks: Readonly<Partial<Record<string, Mark>>> = {
  person: (row) => <PersonAvatar id={responsibleOf(row)} isDecorative />,
  priority: ({ priority }) => <PriorityShape priority={priority ?? 0} />,
  type: ({ assignmentTypeId }, names) => <TypeShape name={names.typeOf(assignmentTypeId)} />,
  stage({ workflowId }, names) {
    const look = names.stageLookOf(workflowId)
    return look && <StageMark {...look} />
  },
}

/** Shows the first label, and counts the others. */
const LabelChips = ({
  labels: [first, ...rest],
}: {
  readonly labels: ReturnType<NameLookup['labelsOf']>
}) => (
  <span class="labels">
    {first && <LabelChip label={first} />}
    {rest.length > 0 && (
      <span title={rest.map(({ name }) => name).join(', ')}>
        <span aria-hidden="true">+{rest.length}</span>
        {rest.map(({ id, name }) => (
          <span key={id} class="visually-hidden">
            {name}
          </span>
        ))}
      </span>
    )}
  </span>
)

function Cell({ column, row, names, recorded, isDone }: ListRowProps & { readonly column: Column }) {
  if (column.name === 'hours') return <HoursMark planned={row.amountHours} recorded={recorded} />
  if (column.name === 'labels') {
    const labels = names.labelsOf(row.id)
    return labels.length === 0 ? null : <LabelChips labels={labels} />
  }
  const text = column.text(row, names)
  if (text === '') return null
  if (column.name === 'blocked') return <BlockReasonMark blockReason={names.blockReasonOf(row)} />
  const dueColor = column.name === 'end' ? dueColorOf(row, isDone) : undefined
  if (dueColor)
    return (
      <span class="due-text" data-color={dueColor} title={dueText(row, isDone)}>
        {text}
        {isLate(row, isDone) && <span class="visually-hidden"> {t('Overdue')}</span>}
      </span>
    )
  return (
    <>
      {cellMarks[column.name]?.(row, names)}
      <bdi>{text}</bdi>
    </>
  )
}

const nameDataOf = ({ depth, parts, isNarrow }: ListRowProps) => ({
  'data-depth': depth > 0 ? depth : undefined,
  'data-parts': parts && !isNarrow ? '' : undefined,
})

const rowKeys = ['X', 'S', 'A', 'L', 'P', 'D', 'F2'].join(' ')

function NameCell(props: ListRowProps) {
  const { row, isNarrow } = props
  const [isRenaming, setRenaming] = useState(false)
  const hadFocus = useRef(false)
  const close = (hasFocus: boolean) => {
    hadFocus.current = hasFocus
    setRenaming(false)
  }
  useLayoutEffect(() => {
    if (!isRenaming && hadFocus.current) document.getElementById(assignmentElementId(row.id))?.focus()
  }, [isRenaming])
  return (
    <>
      {isRenaming ? (
        <NameInput row={row} onClose={close} />
      ) : (
        <NameLink {...props} onRename={() => setRenaming(true)} />
      )}
      {isNarrow ? <NarrowFacts {...props} /> : <Family {...props} />}
    </>
  )
}

function NameLink(props: ListRowProps & { onRename(): void }) {
  const { row, isOpen, query, onSelect, onRename } = props
  const { id, name, projectId } = row
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'x') onSelect(id, event.shiftKey)
    if (event.key !== 'F2') return
    event.preventDefault()
    onRename()
  }
  return (
    <a
      id={assignmentElementId(id)}
      class="list-link"
      dir="auto"
      title={name}
      href={assignmentPath(projectId, id, query)}
      aria-current={isOpen ? 'true' : undefined}
      aria-keyshortcuts={rowKeys}
      onKeyDown={onKeyDown}
    >
      {name}
    </a>
  )
}

interface NameInputProps {
  readonly row: Assignment
  onClose(hasFocus: boolean): void
}

/** Edits the name in its cell. Enter and leaving the field save it; Escape does not. After an error it stays. */
function NameInput({ row, onClose }: NameInputProps) {
  const services = useServices()
  const input = useRef<HTMLInputElement>(null)
  const seen = useRef(row)
  const isDone = useRef(false)
  useLayoutEffect(() => {
    input.current?.focus()
    input.current?.select()
  }, [])
  const close = () => {
    isDone.current = true
    onClose(document.activeElement === input.current)
  }
  const save = async () => {
    // Removing the focused field blurs it.
    if (isDone.current) return
    isDone.current = true
    const name = input.current?.value.trim() ?? ''
    const message = () => t('{label} of {name} was changed.', { label: t('Name'), name })
    if (name === '' || (await changeAssignment(services, seen.current, { name }, message))) close()
    else isDone.current = false
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') void save()
    if (event.key === 'Escape') close()
  }
  return (
    <input
      ref={input}
      class="input list-rename"
      aria-label={t('Name')}
      dir="auto"
      maxLength={limits.name}
      autocomplete="off"
      defaultValue={row.name}
      onKeyDown={onKeyDown}
      onBlur={() => void save()}
    />
  )
}

/** Names the parent, and shows how many parts are done. */
const Family = ({ parent, parts }: Pick<ListRowProps, 'parent' | 'parts'>) => (
  <>
    {parent && <span class="visually-hidden"> {t('Part of {name}', { name: parent.name })}</span>}
    {parts && <PartsMark {...parts} />}
  </>
)

/** Shows the columns in one line below the name, and the person at the end of both lines. */
function NarrowFacts(props: ListRowProps) {
  const { row, columns, names, recorded, isDone } = props
  const shows = (name: Column['name']) => columns.some((column) => column.name === name)
  return (
    <>
      <RowFacts row={row} names={names} recorded={recorded} isDone={isDone} shows={shows}>
        <Family {...props} />
      </RowFacts>
      {shows('person') && <PersonAvatar id={responsibleOf(row)} />}
    </>
  )
}
