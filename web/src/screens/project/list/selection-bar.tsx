import type { RecordOf } from '../../../api/api.ts'
import { type Change, useChangeMany } from '../../../assignment/use-change-many.ts'
import { useRemoveMany } from '../../../assignment/use-remove-many.ts'
import { useMembers } from '../../../data/use-members.ts'
import { t, tn } from '../../../texts/text.ts'
import { addDays, dayOf } from '../../../time/days.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import type { ViewNames } from '../view-names.ts'
import type { ProjectViewProps } from '../view-props.ts'

type Assignment = RecordOf<'assignment'>

export interface SelectionBarProps {
  readonly scope: ProjectViewProps['scope']
  readonly selected: readonly Assignment[]
  readonly names: ViewNames
  onChanged(rows: readonly Assignment[]): void
  onClear(): void
}

/** What can be done with all selected assignments at once. */
export function SelectionBar({ scope, selected, names, onChanged, onClear }: SelectionBarProps) {
  const change = useChangeMany(onChanged)
  const remove = useRemoveMany()
  const members = useMembers(scope.projectId)
  const changeAll = (changeOf: (row: Assignment) => Change, value: string) =>
    void change(selected, changeOf, (count) =>
      tn(count, 'One assignment: {value}.', '{count} assignments: {value}.', { value }),
    )
  const set = (name: 'workflowId' | 'userId' | 'assignmentTypeId', id: string, value: string) =>
    changeAll((row) => (row[name] === id ? {} : { [name]: id }), value)
  const removeAll = () => void remove(selected.map(({ id }) => id))
  const stages = scope.stages.map(({ id, name }) => ({ label: name, run: () => set('workflowId', id, name) }))
  const types = names.types.map(({ id, name }) => ({
    label: name,
    run: () => set('assignmentTypeId', id, name),
  }))
  const people = members.ids.map((id) => {
    const name = names.personOf(id)
    return { label: name, run: () => set('userId', id, name) }
  })
  const shifts = shiftDays.map(({ label, days }) => ({
    label: t(label),
    run: () => changeAll((row) => shifted(row, days), t(label)),
  }))
  return (
    <div class="selection-bar" role="toolbar" aria-label={t('Change what is selected')}>
      <strong role="status">{tn(selected.length, '1 selected', '{count} selected')}</strong>
      <BarMenu label={t('Stage')} items={stages} />
      <BarMenu label={t('Responsible')} items={people} />
      <BarMenu label={t('Type')} items={types} />
      <BarMenu label={t('Days')} items={shifts} />
      <button type="button" class="button danger" onClick={removeAll}>
        <Icon name="trash" />
        <span>{t('Remove')}</span>
      </button>
      <button type="button" class="button quiet" onClick={onClear}>
        <Icon name="close" />
        <span>{t('Select none')}</span>
      </button>
    </div>
  )
}

interface BarMenuProps {
  readonly label: string
  readonly items: readonly { readonly label: string; run(): void }[]
}

const BarMenu = ({ label, items }: BarMenuProps) => (
  <Menu class="button" label={t('{field} of all selected', { field: label })} items={items}>
    <span>{label}</span>
    <Icon name="down" />
  </Menu>
)

const shiftDays = [
  { label: 'One week earlier', days: -7 },
  { label: 'One day earlier', days: -1 },
  { label: 'One day later', days: 1 },
  { label: 'One week later', days: 7 },
] as const

const shifted = ({ startDate, endDate }: Assignment, days: number): Change => ({
  startDate: addDays(dayOf(startDate), days),
  endDate: addDays(dayOf(endDate), days),
})
