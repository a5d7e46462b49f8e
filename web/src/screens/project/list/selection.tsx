import { useMemo, useRef, useState } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import {
  type Change,
  useChangeMany,
  useLabelActions,
  useRemoveMany,
} from '../../../assignment/change-many.ts'
import { parsePriority, priorityChoices } from '../../../assignment/priority.ts'
import { assignedTo } from '../../../data/assignments.ts'
import { labelQuery, useProjectLinks } from '../../../data/project-links.ts'
import { choosableStages } from '../../../data/project-stages.ts'
import { useAllRows } from '../../../data/use-listing.ts'
import { useMembers } from '../../../data/use-members.ts'
import { useServices } from '../../../services/services.ts'
import { t, tn } from '../../../texts/text.ts'
import { addDays, dayOf, daysInWeek, fridayOffset, mondayOf, today } from '../../../time/days.ts'
import { formatHours, usualHours } from '../../../time/hours.ts'
import { Icon, IconButton } from '../../../ui/icon.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { useRootClass } from '../../../ui/page.tsx'
import type { NameLookup, ProjectScope } from '../name-lookup.ts'

export interface Selection {
  has(id: string): boolean
  /** Toggles a row, or the range from the row that was toggled last. */
  toggle(id: string, isRange: boolean): void
  /** Selects all of these rows, or clears them if all are selected. */
  toggleAll(ids: readonly string[]): void
  clear(): void
}

/**
 * Tracks the selected rows. `order` contains the ids in the order of the list. All functions except `has`
 * stay the same, so that memoized rows are not rendered again.
 */
export function useSelection(order: readonly string[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const anchor = useRef<string>(undefined)
  const latestOrder = useRef(order)
  latestOrder.current = order
  const actions = useMemo(
    () => ({
      toggle(id: string, isRange: boolean) {
        const anchorId = isRange ? (anchor.current ?? id) : id
        const range = rangeOf(latestOrder.current, anchorId, id)
        anchor.current = id
        setIds((selected) => (selected.has(id) ? without(selected, range) : new Set([...selected, ...range])))
      },
      toggleAll: (rowIds: readonly string[]) =>
        setIds((selected) =>
          rowIds.every((id) => selected.has(id))
            ? without(selected, rowIds)
            : new Set([...selected, ...rowIds]),
        ),
      clear: () => setIds(new Set()),
    }),
    [],
  )
  return { has: (id) => ids.has(id), ...actions }
}

const without = (ids: ReadonlySet<string>, excluded: readonly string[]): ReadonlySet<string> =>
  new Set([...ids].filter((id) => !excluded.includes(id)))

/** Returns the ids from the anchor to `id`, both included, or only `id` if the anchor is not in the list. */
function rangeOf(order: readonly string[], anchorId: string, id: string): readonly string[] {
  const [from = -1, to = -1] = [order.indexOf(anchorId), order.indexOf(id)].sort((a, b) => a - b)
  return from === -1 ? [id] : order.slice(from, to + 1)
}

type Assignment = RecordOf<'assignment'>

interface SelectionBarProps {
  readonly scope: ProjectScope
  readonly selected: readonly Assignment[]
  readonly names: NameLookup
  onChanged(rows: readonly Assignment[]): void
  onClear(): void
}

/** Shows the actions for all selected assignments. */
export function SelectionBar(props: SelectionBarProps) {
  const { selected, onClear } = props
  useRootClass('has-selection')
  const remove = useRemoveMany()
  const menus = useFieldMenus(props, useLabelMenu(props))
  return (
    <div class="selection-bar" role="toolbar" aria-label={t('Change the selection')}>
      <strong role="status">{tn(selected.length, '1 selected', '{count} selected')}</strong>
      <IconButton icon="close" label={t('Select none')} run={onClear} />
      {menus.map((menu) => menu.items.length > 0 && <BarMenu key={menu.label} {...menu} />)}
      <button type="button" class="button danger" onClick={() => void remove(selected.map(({ id }) => id))}>
        <Icon name="trash" />
        <span>{t('Remove')}</span>
      </button>
    </div>
  )
}

/** Returns a menu for each field that can be set on all selected assignments. */
function useFieldMenus(
  { scope, selected, names, onChanged }: SelectionBarProps,
  labelMenu: BarMenuProps,
): readonly BarMenuProps[] {
  const { configuration } = useServices()
  const changeMany = useChangeMany(onChanged)
  const members = useMembers(scope.projectId)
  const changeAll = (changeOf: (row: Assignment) => Change, value: string) =>
    void changeMany(selected, changeOf, (count) =>
      tn(count, 'One assignment: {value}.', '{count} assignments: {value}.', { value }),
    )
  const setter =
    <Name extends SettableField>(name: Name) =>
    (to: Assignment[Name], label: string) => ({
      label,
      run: () => changeAll(() => ({ [name]: to }), label),
    })
  const [toStage, toType] = [setter('workflowId'), setter('assignmentTypeId')]
  const [toPriority, toHours] = [setter('priority'), setter('amountHours')]
  const toPerson = (id: string, label: string) => ({
    label,
    run: () => changeAll(() => assignedTo(id), label),
  })
  const toDays = (label: string, days: Change) => ({ label, run: () => changeAll(() => days, label) })
  const priorities = configuration.extensions ? priorityChoices().toReversed() : []
  return [
    { label: t('Stage'), items: choosableStages(scope.stages).map(({ id, name }) => toStage(id, name)) },
    { label: t('Priority'), items: priorities.map(({ id, name }) => toPriority(parsePriority(id), name)) },
    {
      label: t('Responsible'),
      items: [
        ...members.ids.map((id) => toPerson(id, names.personOf(id))),
        ...(configuration.extensions ? [toPerson('', t('Unassigned'))] : []),
      ],
    },
    labelMenu,
    { label: t('Type'), items: names.types.map(({ id, name }) => toType(id, name)) },
    {
      label: t('Dates'),
      items: [
        ...shiftOptions.map(({ label, days }) => ({
          label: t(label),
          run: () => changeAll((row) => shiftBy(row, days), t(label)),
        })),
        toDays(t('This week'), weekFrom(today())),
        toDays(t('Next week'), weekFrom(addDays(mondayOf(today()), daysInWeek))),
        ...(configuration.extensions ? [toDays(t('No dates'), { isUnscheduled: true })] : []),
      ],
    },
    { label: t('Planned'), items: usualHours.map((hours) => toHours(hours, formatHours(hours))) },
  ]
}

type SettableField = 'workflowId' | 'assignmentTypeId' | 'priority' | 'amountHours'

/** Offers to add labels that some assignments lack, and to remove labels that some have. */
function useLabelMenu({ scope, selected }: SelectionBarProps): BarMenuProps {
  const { configuration } = useServices()
  const projectId = configuration.extensions ? scope.projectId : undefined
  const labels = useAllRows('label', projectId === undefined ? undefined : labelQuery(projectId))
  const links = useProjectLinks('assignmentLabel', projectId)
  const labelActions = useLabelActions()
  const selectedIds = new Set(selected.map(({ id }) => id))
  const linksByLabel = Map.groupBy(
    links.rows.filter(({ assignmentId }) => selectedIds.has(assignmentId)),
    ({ labelId }) => labelId,
  )
  const items = labels.rows.flatMap(({ id: labelId, name }) => {
    const linksOfLabel = linksByLabel.get(labelId) ?? []
    const idsWithLabel = new Set(linksOfLabel.map(({ assignmentId }) => assignmentId))
    const idsWithoutLabel = [...selectedIds].filter((id) => !idsWithLabel.has(id))
    return [
      ...(idsWithoutLabel.length > 0
        ? [
            {
              label: t('Add {label}', { label: name }),
              run: () =>
                void labelActions.add(
                  idsWithoutLabel.map((assignmentId) => ({ assignmentId, labelId })),
                  name,
                ),
            },
          ]
        : []),
      ...(linksOfLabel.length > 0
        ? [
            {
              label: t('Remove {label}', { label: name }),
              run: () =>
                void labelActions.remove(
                  linksOfLabel.map(({ id }) => id),
                  name,
                ),
            },
          ]
        : []),
    ]
  })
  return { label: t('Labels'), items: links.isLoading ? [] : items }
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

const shiftOptions = [
  { label: 'One week earlier', days: -7 },
  { label: 'One day earlier', days: -1 },
  { label: 'One day later', days: 1 },
  { label: 'One week later', days: 7 },
] as const

/** Returns a change of both dates, or none for assignments without dates. */
const shiftBy = ({ startDate, endDate, isUnscheduled }: Assignment, days: number): Change =>
  isUnscheduled ? {} : { startDate: addDays(dayOf(startDate), days), endDate: addDays(dayOf(endDate), days) }

/** Returns a change to the days from `day` to the Friday of its week. At a weekend, it is only that day. */
const weekFrom = (day: string): Change => {
  const friday = addDays(mondayOf(day), fridayOffset)
  return { startDate: day, endDate: friday < day ? day : friday, isUnscheduled: false }
}
