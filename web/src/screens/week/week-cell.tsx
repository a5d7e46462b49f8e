import type { TargetedKeyboardEvent } from 'preact'
import { isolate, t } from '../../texts/text.ts'
import { formatDay, formatWeekday } from '../../time/days.ts'
import { sumHours, typeHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { keyAlongLine, lineDirection } from '../../ui/place.ts'
import type { Typed } from './use-entries.ts'
import type { Cell } from './week.ts'

export interface WeekCellProps {
  readonly cell: Cell
  readonly assignmentName: string
  readonly at: { readonly row: number; readonly column: number }
  readonly typed: Typed | undefined
  readonly problemId: string
  onType(text: string): void
  onSave(text: string): void
  onRevert(): void
  onOpen(): void
}

/** One field of the grid. Several entries are shown as their sum, and edited one by one in a dialog. */
export function WeekCell(props: WeekCellProps) {
  const { cell, assignmentName, at, typed, problemId, onType, onSave, onRevert, onOpen } = props
  const { entries, day } = cell
  const isSeveral = entries.length > 1
  const label = `${isolate(assignmentName)}, ${formatWeekday(day)} ${formatDay(day)}`
  const notes = entries.flatMap(({ description }) => description ?? [])
  const saved = entries.length === 0 ? '' : typeHours(sumHours(entries))
  const actions: Readonly<Record<string, () => void>> = {
    Escape: onRevert,
    F2: onOpen,
    ...(isSeveral && { Enter: onOpen }),
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const action = actions[event.key]
    if (action === undefined) return moveFocus(event, at)
    event.preventDefault()
    action()
  }
  return (
    <div class={`week-cell ${notes.length > 0 ? 'noted' : ''}`}>
      <input
        class="input"
        inputMode="decimal"
        autocomplete="off"
        aria-label={isSeveral ? t('{label}, {count} entries', { label, count: entries.length }) : label}
        aria-invalid={typed?.problem ? 'true' : undefined}
        aria-describedby={typed?.problem ? problemId : undefined}
        title={notes.join('\n') || undefined}
        data-at={`${at.row},${at.column}`}
        readOnly={isSeveral}
        value={typed?.text ?? saved}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => onType(event.currentTarget.value)}
        onBlur={() => typed && onSave(typed.text)}
        onKeyDown={onKeyDown}
        onDblClick={() => isSeveral && onOpen()}
      />
      <button
        type="button"
        class="week-more"
        tabIndex={-1}
        aria-label={t('Entries and notes: {label}', { label })}
        onClick={onOpen}
      >
        <Icon name="more" />
      </button>
    </div>
  )
}

const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Enter: [1, 0],
}

/** Arrow keys and Enter move to the next cell; left and right only from the end of the text. Leaving a cell saves it. */
function moveFocus(event: TargetedKeyboardEvent<HTMLInputElement>, at: WeekCellProps['at']): void {
  const [rows, columns] = steps[keyAlongLine(event)] ?? [0, 0]
  // Shift with an arrow changes the selection.
  if (event.shiftKey && event.key !== 'Enter') return
  const isMove = rows !== 0 || (columns !== 0 && isAtEdge(event.currentTarget, columns))
  if (!isMove || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  const rowStep = event.key === 'Enter' && event.shiftKey ? -rows : rows
  const next = event.currentTarget
    .closest('table')
    ?.querySelector<HTMLElement>(`[data-at="${at.row + rowStep},${at.column + columns}"]`)
  next?.focus()
  // Enter still saves in the last row.
  if (!next && event.key === 'Enter') {
    event.currentTarget.blur()
    event.currentTarget.focus()
  }
}

function isAtEdge({ selectionStart, selectionEnd, value }: HTMLInputElement, columns: number): boolean {
  if (selectionStart === 0 && selectionEnd === value.length) return true
  // The caret's index runs from left to right also in right-to-left pages, because numbers do.
  return (
    selectionStart === selectionEnd && selectionStart === (columns * lineDirection() < 0 ? 0 : value.length)
  )
}
