import { priorityNames } from '../../assignment/priority.ts'
import { labelQuery } from '../../data/project-links.ts'
import { stageLooksOf } from '../../data/project-stages.ts'
import { catalogQuery, useAllRows, useListing } from '../../data/use-listing.ts'
import { useMembers } from '../../data/use-members.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { formatDay, isDay } from '../../time/days.ts'
import type { Option } from '../../ui/combobox.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { PriorityMark, StageMark, TypeMark } from '../../ui/marks.tsx'
import { PersonAvatar } from '../../ui/people.tsx'
import {
  changedChoices,
  daysOf,
  type Filters,
  invert,
  isExcluding,
  nonMember,
  toggleValue,
  unassigned,
  valuesOf,
  viewer,
} from './filters.ts'
import type { ProjectScope } from './name-lookup.ts'

/** A value that a criterion can have. */
interface FilterValue extends Option {
  readonly isChosen: boolean
  /** The filters with this value added, or removed. */
  readonly toggled: Partial<Filters>
}

export type CriterionName = Exclude<keyof Filters, 'search' | 'dateFrom' | 'dateTo'> | 'days'

/** A property by which assignments are filtered, such as the stage. */
export interface Criterion {
  readonly name: CriterionName
  readonly label: string
  readonly icon: IconName
  /** The values. Empty for days, because these are typed. */
  readonly values: readonly FilterValue[]
  /** True if the criterion has only one value, with the same name. A line separates these from the others. */
  readonly isSwitch?: boolean
  readonly isActive: boolean
  /** True if assignments must not have the chosen values. */
  readonly isNegated?: boolean
  /** The filters with `is` and `is not` exchanged. Undefined if no value is chosen. */
  readonly inverted?: Partial<Filters> | undefined
  /** The names of the chosen values. */
  readonly chosen: readonly string[]
  /** The filters without this criterion. */
  readonly cleared: Partial<Filters>
}

interface CriteriaOptions {
  readonly scope: ProjectScope
  readonly filters: Filters
  /** False for views that show a period. */
  readonly hasDays: boolean
  /** True if all members are offered. Otherwise only the names of chosen people are loaded. */
  readonly offersMembers: boolean
}

/** Returns the criteria with their values. Without the extensions, these are only the person and the days. */
export function useCriteria(options: CriteriaOptions): readonly Criterion[] {
  const { scope, filters, hasDays } = options
  const { configuration } = useServices()
  const { extensions } = configuration
  const labels = useAllRows('label', extensions ? labelQuery(scope.projectId) : undefined)
  const types = useListing('assignmentType', extensions ? catalogQuery : undefined).rows
  const people = usePersonOptions(options)
  const looks = stageLooksOf(scope.stages, scope.doneStageIds)
  const list = listOf(filters)
  const person = list('userId', t('Responsible'), 'person', people)
  const days = hasDays ? [periodOf(filters)] : []
  if (!extensions) return [person, ...days]
  return [
    list(
      'stages',
      t('Stage'),
      'columns',
      scope.stages.map(({ id, name }) => {
        const look = looks.get(id)
        return { id, name, mark: look && <StageMark {...look} /> }
      }),
    ),
    list('priorities', t('Priority'), 'priority', priorityOptions()),
    person,
    list('labels', t('Labels'), 'tag', [
      ...labels.rows.map(({ id, name, color }) => ({
        id,
        name,
        mark: <span class="label-dot" data-color={color} />,
      })),
      ...(labels.isLoading ? [] : removedLabels(filters, labels.rows)),
    ]),
    list(
      'types',
      t('Type'),
      'shapes',
      types.map(({ id, name }) => ({ id, name, mark: decorative(<TypeMark name={name} />) })),
    ),
    ...days,
    changedOf(filters),
    switchOf(filters, 'blocked', t('Blocked or waiting'), 'warning'),
    switchOf(filters, 'overdue', t('Overdue'), 'clock'),
    switchOf(filters, 'dates', t('No dates'), 'undated', 'none'),
  ]
}

/** Hides a mark from assistive technology, because it has the same name as the option. */
const decorative = (mark: Option['mark']) => <span aria-hidden="true">{mark}</span>

/** Returns the user, the members, other chosen people, and the choices for no person and for non-members. */
function usePersonOptions({ scope, filters, offersMembers }: CriteriaOptions): readonly Option[] {
  const { configuration, people, session } = useServices()
  const { ids } = useMembers(scope.projectId)
  const chosen = valuesOf(filters.userId).filter((id) => ![nonMember, unassigned, viewer].includes(id))
  return [
    { id: viewer, name: t('Me'), mark: <PersonAvatar id={session.person.value?.id ?? ''} isDecorative /> },
    ...[...new Set([...(offersMembers ? ids : []), ...chosen])].map((id) => ({
      id,
      name: people.nameOf(id),
      mark: <PersonAvatar id={id} isDecorative />,
    })),
    ...(configuration.extensions
      ? [{ id: unassigned, name: t('Unassigned'), mark: <PersonAvatar id="" isDecorative /> }]
      : []),
    { id: nonMember, name: t('Not a member'), mark: <Icon name="person" /> },
  ]
}

/** Returns options for labels that were removed, but are still in the address. */
const removedLabels = ({ labels }: Filters, rows: readonly { readonly id: string }[]): readonly Option[] =>
  valuesOf(labels)
    .filter((id) => !rows.some((label) => label.id === id))
    .map((id) => ({ id, name: t('Removed label') }))

/** Returns the priorities, the most urgent one first. */
const priorityOptions = (): readonly Option[] =>
  priorityNames()
    .map((name, priority) => ({
      id: String(priority),
      name,
      mark: priority > 0 && decorative(<PriorityMark priority={priority} name={name} />),
    }))
    .reverse()

/** Returns a function that creates criteria with several values. */
const listOf =
  (filters: Filters) =>
  (
    name: 'userId' | 'stages' | 'types' | 'labels' | 'priorities',
    label: string,
    icon: IconName,
    options: readonly Option[],
  ): Criterion => {
    const chosen = valuesOf(filters[name])
    return {
      name,
      label,
      icon,
      values: options.map((option) => ({
        ...option,
        isChosen: chosen.includes(option.id),
        toggled: { [name]: toggleValue(filters[name], option.id) },
      })),
      isActive: chosen.length > 0,
      isNegated: isExcluding(filters[name]),
      inverted: chosen.length > 0 ? { [name]: invert(filters[name]) } : undefined,
      chosen: chosen.flatMap((id) => options.find((option) => option.id === id)?.name ?? []),
      cleared: { [name]: '' },
    }
  }

/** Creates a criterion that has one value at a time. */
function singleOf(
  filters: Filters,
  name: 'blocked' | 'overdue' | 'dates' | 'changed',
  label: string,
  icon: IconName,
  options: readonly Option[],
): Criterion {
  const value = filters[name]
  return {
    name,
    label,
    icon,
    values: options.map((option) => ({
      ...option,
      isChosen: option.id === value,
      toggled: { [name]: option.id === value ? '' : option.id },
    })),
    isActive: value !== '',
    chosen: options.filter(({ id }) => id === value).map((option) => option.name),
    cleared: { [name]: '' },
  }
}

const switchOf = (
  filters: Filters,
  name: 'blocked' | 'overdue' | 'dates',
  label: string,
  icon: IconName,
  value = '1',
): Criterion => ({
  ...singleOf(filters, name, label, icon, [{ id: value, name: label, mark: <Icon name={icon} /> }]),
  isSwitch: true,
})

function changedOf(filters: Filters): Criterion {
  const names = { 1: t('Today'), 7: t('In the last 7 days'), 30: t('In the last 30 days') }
  return singleOf(
    filters,
    'changed',
    t('Changed'),
    'edit',
    changedChoices.map((id) => ({ id, name: names[id] })),
  )
}

function periodOf(filters: Filters): Criterion {
  const [from, to] = daysOf(filters)
  const format = (day: string) => (isDay(day) ? formatDay(day) : day)
  const text = () => {
    if (to === '') return t('from {day}', { day: format(from) })
    if (from === '') return t('until {day}', { day: format(to) })
    return t('{from} to {to}', { from: format(from), to: format(to) })
  }
  const isActive = from !== '' || to !== ''
  return {
    name: 'days',
    label: t('Dates'),
    icon: 'calendar',
    values: [],
    isActive,
    chosen: isActive ? [text()] : [],
    cleared: { dateFrom: '', dateTo: '' },
  }
}
