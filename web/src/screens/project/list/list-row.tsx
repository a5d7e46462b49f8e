import type { TargetedKeyboardEvent } from 'preact'
import { useMemo } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { assignmentPath } from '../../../router/addresses.ts'
import { t } from '../../../texts/text.ts'
import { dayOf, showDay, today } from '../../../time/days.ts'
import { PersonAvatar } from '../../../ui/person-avatar.tsx'
import type { ViewNames } from '../view-names.ts'
import type { Column } from './list-columns.ts'

export interface ListRowProps {
  readonly row: RecordOf<'assignment'>
  readonly index: number
  readonly columns: readonly Column[]
  readonly names: ViewNames
  readonly isDone: boolean
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly query: string
  onSelect(id: string, isRange: boolean): void
}

/** Drawn anew only when something of its own has changed: a list has many. */
export function ListRow(props: ListRowProps) {
  const { row, index, columns, names, isDone, isOpen, isSelected, query } = props
  return useMemo(
    () => <Row {...props} />,
    [row, index, columns, names, isDone, isOpen, isSelected, query, names.personOf(row.userId)],
  )
}

function Row(props: ListRowProps) {
  const { row, index, columns, names, isDone, isOpen, isSelected, query, onSelect } = props
  const { id, name, projectId } = row
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key === 'x') onSelect(id, event.shiftKey)
    else walkRows(event)
  }
  return (
    <tr
      data-row={id}
      aria-rowindex={index}
      class={`list-row ${isOpen ? 'open' : ''} ${isSelected ? 'selected' : ''}`}
    >
      <td class="list-check">
        <label>
          <input
            type="checkbox"
            aria-label={t('Select {name}', { name })}
            checked={isSelected}
            onClick={(event) => onSelect(id, event.shiftKey)}
          />
        </label>
      </td>
      {columns.map((column) => (
        <td key={column.name} class={`list-${column.name} ${column.isNumber ? 'number' : ''}`}>
          {column.name === 'name' ? (
            <>
              <a
                id={`card-${id}`}
                class="list-link"
                dir="auto"
                href={assignmentPath(projectId, id, query)}
                aria-current={isOpen ? 'true' : undefined}
                aria-keyshortcuts="X"
                onKeyDown={onKeyDown}
              >
                {name}
              </a>
              <Facts row={row} names={names} isDone={isDone} />
            </>
          ) : (
            <Cell column={column} {...props} />
          )}
        </td>
      ))}
    </tr>
  )
}

const isLate = ({ row, isDone }: Pick<ListRowProps, 'row' | 'isDone'>): boolean =>
  !isDone && dayOf(row.endDate) < today()

function Cell({ column, row, names, isDone }: ListRowProps & { readonly column: Column }) {
  const text = column.text(row, names)
  if (column.name === 'person')
    return (
      <span class="list-person-name">
        <PersonAvatar id={row.userId} isNamed />
        <span dir="auto">{text}</span>
      </span>
    )
  if (column.name === 'type' || column.name === 'stage')
    return (
      <span class={column.name === 'type' ? 'chip' : ''} dir="auto">
        {text}
      </span>
    )
  if (column.name === 'end' && isLate({ row, isDone }))
    return (
      <span class="late" title={t('Overdue')}>
        {text}
        <span class="visually-hidden"> {t('Overdue')}</span>
      </span>
    )
  return text
}

/** Where columns have no room: the most important of them below the name. */
const Facts = ({ row, names, isDone }: Pick<ListRowProps, 'row' | 'names' | 'isDone'>) => (
  <span class="list-facts">
    <PersonAvatar id={row.userId} />
    <span dir="auto">{names.stageOf(row.workflowId)}</span>
    <span class={isLate({ row, isDone }) ? 'late' : ''}>{dueOf(row, isDone)}</span>
  </span>
)

function dueOf(row: ListRowProps['row'], isDone: boolean): string {
  const day = showDay(row.endDate)
  return isLate({ row, isDone }) ? t('Was due {day}', { day }) : t('Until {day}', { day })
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Up and down, from name to name. */
function walkRows(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = steps[event.key]
  if (step === undefined) return
  event.preventDefault()
  const links = [...(event.currentTarget.closest('table')?.querySelectorAll<HTMLElement>('.list-link') ?? [])]
  links[links.indexOf(event.currentTarget) + step]?.focus()
}
