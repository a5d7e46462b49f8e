import { LabelChip, type LabelColor } from '../../assignment/labels.tsx'
import { priorityNames } from '../../assignment/priority.ts'
import { useProjectStages } from '../../data/project-stages.ts'
import { catalogQuery, useListing } from '../../data/use-listing.ts'
import { useAllRows } from '../../data/use-live.ts'
import { labelQuery } from '../../data/use-project-labels.ts'
import { locale, type MessageKey, t } from '../../texts/text.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { Icon } from '../../ui/icon.tsx'
import { changedChoices, type Filters, toggleValue, valuesOf } from './filters.ts'

interface FilterChipsProps {
  readonly projectId: string
  readonly filters: Filters
  onChange(changed: Partial<Filters>): void
}

interface Choice {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly color: LabelColor
  readonly isChosen: boolean
  /** The filters with this choice added, or removed. */
  readonly toggled: Partial<Filters>
}

/** Offers every filter that the page applies to the rows, and shows the chosen ones. Part of the extensions. */
export function FilterChips({ projectId, filters, onChange }: FilterChipsProps) {
  const choices = useChoices(projectId, filters)
  const find = async (text: string) => {
    const wanted = text.trim().toLocaleLowerCase(locale())
    return choices
      .filter(({ name, kind, isChosen }) =>
        [name, kind].some((one) => !isChosen && one.toLocaleLowerCase(locale()).includes(wanted)),
      )
      .map(({ id, name, kind, color }) => ({
        id,
        name,
        note: kind,
        mark: <span class="label-dot" data-color={color} />,
      }))
  }
  const toggle = (id: string) => {
    const choice = choices.find((one) => one.id === id)
    if (choice) onChange(choice.toggled)
  }
  return (
    <>
      <div class="filter-chip-field">
        <Combobox
          label={t('Add a filter')}
          placeholder={t('Filter by…')}
          valueText=""
          find={find}
          onChoose={({ id }) => toggle(id)}
        />
      </div>
      <span class="labels">
        {choices
          .filter(({ isChosen }) => isChosen)
          .map((choice) => (
            <LabelChip key={choice.id} label={choice}>
              <button
                type="button"
                class="label-remove"
                aria-label={t('Remove the filter {name}', { name: choice.name })}
                onClick={() => toggle(choice.id)}
              >
                <Icon name="close" />
              </button>
            </LabelChip>
          ))}
      </span>
    </>
  )
}

function useChoices(projectId: string, filters: Filters): readonly Choice[] {
  const labels = useAllRows('label', labelQuery(projectId))
  const chosenLabels = valuesOf(filters.labels)
  // A label that was removed can still be in the address.
  const unknown = labels.isLoading
    ? []
    : chosenLabels
        .filter((id) => !labels.rows.some((label) => label.id === id))
        .map((id) => ({ id, name: t('Removed label'), color: 'gray' as const }))
  const { stages } = useProjectStages(projectId)
  const types = useListing('assignmentType', catalogQuery).rows
  const single = (name: 'blocked' | 'overdue' | 'changed', value: string, text: string): Choice => ({
    id: `${name}-${value}`,
    name: text,
    kind: '',
    color: name === 'changed' ? 'gray' : 'amber',
    isChosen: filters[name] === value,
    toggled: { [name]: filters[name] === value ? '' : value },
  })
  const listed = (
    filter: 'priorities' | 'stages' | 'types' | 'labels',
    kind: string,
    { id, name, color = 'gray' }: { readonly id: string; readonly name: string; readonly color?: LabelColor },
  ): Choice => ({
    id: `${filter}-${id}`,
    name,
    kind,
    color,
    isChosen: valuesOf(filters[filter]).includes(id),
    toggled: { [filter]: toggleValue(filters[filter], id) },
  })
  return [
    single('blocked', '1', t('Blocked or waiting')),
    single('overdue', '1', t('Overdue')),
    ...changedChoices.map((days) => single('changed', days, t(changedNames[days]))),
    ...priorityNames()
      .map((name, priority) => listed('priorities', t('Priority'), { id: String(priority), name }))
      .reverse(),
    ...stages.map((stage) => listed('stages', t('Stage'), stage)),
    ...types.map((type) => listed('types', t('Type'), type)),
    ...[...labels.rows, ...unknown].map((label) => listed('labels', t('Label'), label)),
  ]
}

const changedNames: Readonly<Record<(typeof changedChoices)[number], MessageKey>> = {
  1: 'Changed today',
  7: 'Changed in the last 7 days',
  30: 'Changed in the last 30 days',
}
