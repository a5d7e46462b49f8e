import type { TargetedKeyboardEvent } from 'preact'
import { useRef } from 'preact/hooks'
import { isolate, t } from '../../texts/text.ts'
import { formatDay, formatWeekday } from '../../time/days.ts'
import { formatHoursInput, sumHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { directionSign, logicalArrowKey } from '../../ui/viewport.ts'
import type { Cell, UnsavedText } from './week.ts'

interface WeekCellProps {
  readonly cell: Cell
  readonly assignmentName: string
  readonly position: { readonly row: number; readonly column: number }
  readonly unsaved: UnsavedText | undefined
  readonly problemId: string
  onType(text: string): void
  /** Returns whether the text was accepted. Leaving the cell confirms nothing. */
  onSave(text: string, isConfirmed: boolean): boolean
  onRevert(): void
  onOpen(): void
  /** Called when a key leads to a column that is not shown. */
  onLeave(column: number): void
}

/** Shows a cell of the grid. Several entries are shown as their sum, and edited one by one in a dialog. */
export function WeekCell(props: WeekCellProps) {
  const { cell, assignmentName, position, unsaved, problemId, onType, onSave, onRevert, onOpen, onLeave } =
    props
  const { entries, day } = cell
  const hasSeveral = entries.length > 1
  const label = `${isolate(assignmentName)}, ${formatWeekday(day)} ${formatDay(day)}`
  const notes = entries.flatMap(({ description }) => description ?? [])
  const savedText = entries.length === 0 ? '' : formatHoursInput(sumHours(entries))
  const text = unsaved?.text ?? savedText
  const hasSaved = useRef(false)
  const actions: Readonly<Record<string, () => void>> = {
    Escape: onRevert,
    F2: onOpen,
    ...(hasSeveral && { Enter: onOpen }),
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const action = hasModifier(event) ? undefined : actions[event.key]
    const step = stepOf(event)
    if (action === undefined && step === undefined) return
    event.preventDefault()
    if (action) return action()
    // A text that is rejected or questioned keeps the focus, so that Enter can confirm it.
    if (event.key === 'Enter' && unsaved && !onSave(unsaved.text, true)) return
    hasSaved.current = event.key === 'Enter'
    if (step) moveFocus(event.currentTarget, position, step, onLeave)
    hasSaved.current = false
  }
  return (
    <div class={`week-cell ${notes.length > 0 ? 'noted' : ''}`}>
      <input
        class="input"
        inputMode="decimal"
        autocomplete="off"
        aria-label={hasSeveral ? t('{label}, {count} entries', { label, count: entries.length }) : label}
        aria-invalid={unsaved?.problem ? 'true' : undefined}
        aria-describedby={unsaved?.problem ? problemId : undefined}
        title={notes.join('\n') || undefined}
        data-at={`${position.row},${position.column}`}
        readOnly={hasSeveral}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => onType(event.currentTarget.value)}
        onBlur={() => unsaved && !hasSaved.current && onSave(unsaved.text, false)}
        placeholder="0"
        onKeyDown={onKeyDown}
        onDblClick={() => hasSeveral && onOpen()}
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

type KeyPress = TargetedKeyboardEvent<HTMLInputElement>

const hasModifier = ({ shiftKey, altKey, ctrlKey, metaKey }: KeyPress): boolean =>
  shiftKey || altKey || ctrlKey || metaKey

type Step = readonly [rows: number, columns: number]

const steps: Readonly<Record<string, Step>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Enter: [1, 0],
}

/**
 * Returns the direction in which a key moves the focus. Enter moves down, and Shift+Enter moves up. The left
 * and right arrows move the focus only if the caret is at that edge of the text, or if all of it is selected.
 */
function stepOf(event: KeyPress): Step | undefined {
  if (event.key === 'Enter' && event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey)
    return [-1, 0]
  // Shift with an arrow changes the selection.
  if (hasModifier(event)) return undefined
  const step = steps[logicalArrowKey(event)]
  const columns = step?.[1] ?? 0
  return columns === 0 || isAtEdge(event.currentTarget, columns) ? step : undefined
}

/** Moves to another cell. The cell that loses the focus saves its text. */
function moveFocus(
  field: HTMLInputElement,
  { row, column }: WeekCellProps['position'],
  [rows, columns]: Step,
  onLeave: WeekCellProps['onLeave'],
): void {
  const next = field
    .closest('table')
    ?.querySelector<HTMLElement>(`[data-at="${row + rows},${column + columns}"]`)
  next?.focus()
  if (!next && columns !== 0) onLeave(column + columns)
}

function isAtEdge({ selectionStart, selectionEnd, value }: HTMLInputElement, columns: number): boolean {
  if (selectionStart === 0 && selectionEnd === value.length) return true
  // Right-to-left pages write numbers from left to right, too, so the caret's index increases to the right.
  const movesLeft = columns * directionSign() < 0
  const edge = movesLeft ? 0 : value.length
  return selectionStart === edge && selectionEnd === edge
}
