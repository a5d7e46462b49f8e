import { LabelChip, type LabelColor } from '../../assignment/labels.tsx'
import { priorityNames } from '../../assignment/priority.ts'
import { useAllRows } from '../../data/use-live.ts'
import { labelQuery } from '../../data/use-project-labels.ts'
import { locale, t } from '../../texts/text.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type Filters, toggleValue, valuesOf } from './filters.ts'

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

/** Offers filters by label, by priority and by what is blocked, and shows the chosen ones. Part of the extensions. */
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
        mark: <span class={`label-dot label-${color}`} />,
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
          placeholder={t('Label, priority…')}
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
  return [
    {
      id: 'blocked',
      name: t('Blocked or waiting'),
      kind: '',
      color: 'amber',
      isChosen: filters.blocked !== '',
      toggled: { blocked: filters.blocked === '' ? '1' : '' },
    },
    ...priorityNames()
      .map((name, priority) => ({
        id: `priority-${priority}`,
        name,
        kind: t('Priority'),
        color: 'gray' as const,
        isChosen: valuesOf(filters.priorities).includes(String(priority)),
        toggled: { priorities: toggleValue(filters.priorities, String(priority)) },
      }))
      .reverse(),
    ...[...labels.rows, ...unknown].map(({ id, name, color }) => ({
      id,
      name,
      kind: t('Label'),
      color,
      isChosen: chosenLabels.includes(id),
      toggled: { labels: toggleValue(filters.labels, id) },
    })),
  ]
}
