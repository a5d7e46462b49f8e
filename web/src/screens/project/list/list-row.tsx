import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { LabelChips } from '../../../assignment/labels.tsx'
import { dueColorOf, dueText, isLate, responsibleOf } from '../../../data/assignments.ts'
import type { PartCount } from '../../../data/project-links.ts'
import { assignmentPath } from '../../../router/router.ts'
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

const rowKeys = ['X', 'S', 'A', 'L', 'P', 'D'].join(' ')

function NameCell(props: ListRowProps) {
  const { row, isOpen, isNarrow, query, onSelect } = props
  const { id, name, projectId } = row
  return (
    <>
      <a
        id={assignmentElementId(id)}
        class="list-link"
        dir="auto"
        title={name}
        href={assignmentPath(projectId, id, query)}
        aria-current={isOpen ? 'true' : undefined}
        aria-keyshortcuts={rowKeys}
        onKeyDown={(event) => event.key === 'x' && onSelect(id, event.shiftKey)}
      >
        {name}
      </a>
      {isNarrow ? <NarrowFacts {...props} /> : <Family {...props} />}
    </>
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
