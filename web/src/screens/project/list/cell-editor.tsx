import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { RecordOf } from '../../../api/api.ts'
import {
  ChoiceInPlace,
  DayInPlace,
  HoursInPlace,
  PersonInPlace,
} from '../../../assignment/in-place-fields.tsx'
import { LabelsSection } from '../../../assignment/labels-section.tsx'
import { priorityChoices } from '../../../assignment/priority.ts'
import { fieldDraft } from '../../../assignment/use-in-place-edit.ts'
import { choosableStages } from '../../../data/project-stages.ts'
import { useListing } from '../../../data/use-listing.ts'
import { useAllRows } from '../../../data/use-live.ts'
import { labelQuery } from '../../../data/use-project-labels.ts'
import { deleteDraft, readDraft } from '../../../forms/drafts.ts'
import { t } from '../../../texts/text.ts'
import { placeBelow } from '../../../ui/place.ts'
import type { NameLookup, ProjectViewProps } from '../view-props.ts'
import type { Column } from './list-columns.ts'

type Assignment = RecordOf<'assignment'>

export interface CellEditorProps {
  readonly row: Assignment
  readonly column: Column
  readonly scope: ProjectViewProps['scope']
  readonly names: NameLookup
  onSaved(row: Assignment): void
  /** The focus returns to the cell, unless the user has moved it elsewhere. */
  onClose(options: { readonly returnsFocus: boolean }): void
}

/** Edits one cell of the list in a layer below it. The layer stays open while an error or a conflict is shown. */
export function CellEditor(props: CellEditorProps) {
  const { row, column, onSaved, onClose } = props
  const layer = useRef<HTMLDivElement>(null)
  const draft = fieldDraft(row.id, column.edits ?? '')
  // What was typed stays a draft while it is being saved, and while an error or a conflict is shown.
  const hasNothingPending = () => readDraft<{ text: string }>(draft).text === undefined
  const closeAfterSaving = (saved: Assignment) => {
    onSaved(saved)
    // The user may have opened another cell before the answer came.
    if (layer.current === null) return
    const focused = document.activeElement
    onClose({ returnsFocus: focused === document.body || layer.current.contains(focused) })
  }
  useLayerBelowCell(layer, row.id, column.name)
  useEffect(() => {
    const leaveOn = (event: PointerEvent) => {
      if (!(event.target instanceof Node) || layer.current?.contains(event.target)) return
      // A field saves what was typed when it loses the focus.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      if (hasNothingPending()) onClose({ returnsFocus: false })
    }
    addEventListener('pointerdown', leaveOn, { capture: true })
    return () => removeEventListener('pointerdown', leaveOn, { capture: true })
  }, [])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: takes the keys of the field within
    <div
      ref={layer}
      class="cell-editor"
      popover="manual"
      onFocusOut={({ relatedTarget }) => {
        const isLeaving = relatedTarget instanceof Node && !layer.current?.contains(relatedTarget)
        if (isLeaving && hasNothingPending()) onClose({ returnsFocus: false })
      }}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Escape') {
          event.preventDefault()
          deleteDraft(draft)
          onClose({ returnsFocus: true })
        } else if (event.key === 'Enter' && column.edits === 'amountHours' && hasNothingPending())
          // The field has handled the key first, and had nothing to save.
          onClose({ returnsFocus: true })
      }}
    >
      {column.edits === 'labels' ? (
        <CellLabels row={row} />
      ) : (
        <CellField {...props} onSaved={closeAfterSaving} />
      )}
    </div>
  )
}

/** Shows the layer below the cell, also while the list scrolls, and focuses its field. */
function useLayerBelowCell(layer: { readonly current: HTMLElement | null }, id: string, column: string) {
  useLayoutEffect(() => {
    const place = () => {
      const cell = cellOf(id, column)
      if (cell && layer.current) placeBelow(layer.current, cell, { matchesWidth: true })
    }
    layer.current?.showPopover()
    place()
    const field = layer.current?.querySelector<HTMLElement>('input, select')
    field?.focus({ preventScroll: true })
    // A list of people opens by a click, a select by a call that some browsers lack.
    if (field instanceof HTMLSelectElement) openPicker(field)
    else if (field?.role === 'combobox') field.click()
    addEventListener('scroll', place, { capture: true, passive: true })
    return () => removeEventListener('scroll', place, { capture: true })
  }, [])
}

/** Returns null if the row is not rendered, because it is far from the visible part. */
export const cellOf = (id: string, column: string): HTMLElement | null =>
  document.querySelector(`.list-row[data-row="${id}"] [data-column="${column}"]`)

function openPicker(select: HTMLSelectElement): void {
  try {
    select.showPicker()
  } catch {
    // Without a recent action of the user, browsers refuse; the field has the focus anyway.
  }
}

/** A field that saves itself, and whose changes can be undone. */
function CellField({ row, column, scope, names, onSaved }: Omit<CellEditorProps, 'onClose'>) {
  const shared = { assignment: row, label: t(column.label), onSaved }
  switch (column.edits) {
    case 'workflowId':
      return (
        <ChoiceInPlace
          {...shared}
          name="workflowId"
          choices={choosableStages(scope.stages, row.workflowId)}
        />
      )
    case 'assignmentTypeId':
      return <ChoiceInPlace {...shared} name="assignmentTypeId" choices={names.types} />
    case 'priority':
      return <ChoiceInPlace {...shared} name="priority" choices={priorityChoices()} />
    case 'startDate':
    case 'endDate':
      return <DayInPlace {...shared} name={column.edits} />
    case 'userId':
      return <PersonInPlace {...shared} />
    default:
      return <HoursInPlace {...shared} />
  }
}

function CellLabels({ row }: Pick<CellEditorProps, 'row'>) {
  const labels = useAllRows('label', labelQuery(row.projectId))
  const labelLinks = useListing('assignmentLabel', { assignmentId: row.id, pageSize: limits.pageSize })
  return <LabelsSection assignment={row} labels={labels} labelLinks={labelLinks} />
}
