import { readList } from '../api/last-seen.ts'
import { sentenceOf } from '../api/problems.ts'
import { labelQuery } from '../data/project-links.ts'
import { choosableStages, type ProjectStage, stageLooksOf } from '../data/project-stages.ts'
import { catalogQuery, useAllRows, useListing } from '../data/use-listing.ts'
import { Field } from '../forms/field.tsx'
import type { FormState } from '../forms/form.tsx'
import { useServices } from '../services/services.ts'
import { t, tn } from '../texts/text.ts'
import {
  addDays,
  daysBetween,
  formatDay,
  formatWeekday,
  fridayOffset,
  isDay,
  mondayOf,
  nextFriday,
  parseDay,
  today,
} from '../time/days.ts'
import { formatHours, parseDuration, usualHours } from '../time/hours.ts'
import type { Option } from '../ui/combobox.tsx'
import { Icon } from '../ui/icon.tsx'
import { PriorityShape, StageMark, TypeShape } from '../ui/marks.tsx'
import { ChoiceChip, type ChoiceChipProps, matchesWords } from '../ui/option-search.tsx'
import { findPeople, findResponsible, PersonAvatar } from '../ui/people.tsx'
import { doneStagesOf, type NewAssignmentValues } from './assignment-values.ts'
import { labelIdOf, suggestLabels } from './labels-section.tsx'
import { parsePriority, priorityChoices, priorityName } from './priority.ts'

interface PropertyChipsProps {
  readonly projectId: string
  readonly form: FormState<NewAssignmentValues>
  readonly stages: readonly ProjectStage[]
}

/** Shows every property of a new assignment in a row of chips. */
export function PropertyChips(props: PropertyChipsProps) {
  const { extensions } = useServices().configuration
  return (
    <div class="choice-chips">
      <StageChip {...props} />
      {extensions && <PriorityChip {...props} />}
      <PersonChip {...props} />
      {extensions && <LabelsChip {...props} />}
      <TypeChip {...props} />
      <DayChips {...props} />
      <HoursChip {...props} />
    </div>
  )
}

interface ChipProps extends Omit<ChoiceChipProps, 'attributes' | 'isEmpty' | 'chosenIds' | 'onChoose'> {
  readonly form: PropertyChipsProps['form']
  readonly name: keyof NewAssignmentValues
  readonly required?: boolean
  readonly isEmpty?: boolean
  onChange?(value: string): void
}

/** A field that contains the id of an option. */
function Chip({ form, name, required = false, ...props }: ChipProps) {
  const { onChange = (id: string) => form.set(name, id), ...chip } = props
  const value = form.values.value[name]
  return (
    <Field form={form} name={name} label={chip.label} required={required} isLabelHidden>
      {(attributes) => (
        <ChoiceChip
          isEmpty={value === ''}
          {...chip}
          attributes={attributes}
          chosenIds={[value]}
          onChoose={({ id }) => onChange(id)}
        />
      )}
    </Field>
  )
}

const findIn = (options: readonly Option[]) => async (text: string) =>
  options.filter(({ name }) => matchesWords(name, text))

function StageChip({ form, projectId, stages }: PropertyChipsProps) {
  const looks = stageLooksOf(stages, doneStagesOf(projectId, stages))
  const options = choosableStages(stages).map(({ id, name }) => {
    const look = looks.get(id)
    return { id, name, mark: look && <StageMark {...look} /> }
  })
  const chosen = stages.find(({ id }) => id === form.values.value.workflowId)
  const look = looks.get(chosen?.id ?? '')
  const label = t('Stage')
  return (
    <Chip
      form={form}
      name="workflowId"
      label={label}
      required
      text={chosen?.name ?? label}
      mark={look && <StageMark {...look} />}
      find={findIn(options)}
    />
  )
}

function TypeChip({ form }: PropertyChipsProps) {
  const services = useServices()
  const types = useListing('assignmentType', catalogQuery)
  // The list may be opened before the types have arrived.
  const find = async (text: string, signal: AbortSignal) => {
    const { data } = types.isLoading
      ? await readList(services, 'assignmentType', catalogQuery, signal)
      : { data: types.rows }
    return findIn(data.map((type) => ({ ...type, mark: <TypeShape name={type.name} /> })))(text)
  }
  const name = types.rows.find(({ id }) => id === form.values.value.assignmentTypeId)?.name
  const label = t('Type')
  return (
    <Chip
      form={form}
      name="assignmentTypeId"
      label={label}
      required
      text={name ?? label}
      mark={name ? <TypeShape name={name} /> : <Icon name="dot" />}
      find={find}
    />
  )
}

function PriorityChip({ form }: PropertyChipsProps) {
  const priority = parsePriority(form.values.value.priority) ?? 0
  const label = t('Priority')
  const options = priorityChoices().map((choice) => ({
    ...choice,
    mark: <PriorityShape priority={parsePriority(choice.id) ?? 0} />,
  }))
  return (
    <Chip
      form={form}
      name="priority"
      label={label}
      text={priorityName(priority) || label}
      mark={priority === 0 ? <Icon name="priority" /> : <PriorityShape priority={priority} />}
      find={findIn(options)}
    />
  )
}

function PersonChip({ form, projectId }: PropertyChipsProps) {
  const services = useServices()
  const { configuration, people } = services
  const { userId } = form.values.value
  const label = t('Responsible')
  const find = configuration.extensions ? findResponsible : findPeople
  return (
    <Chip
      form={form}
      name="userId"
      label={label}
      required={!configuration.extensions}
      text={userId === '' ? label : people.nameOf(userId)}
      mark={<PersonAvatar id={userId} isDecorative />}
      find={(text, signal) => find(services, projectId, text, signal)}
    />
  )
}

export const idsIn = (text: string) => text.split(' ').filter(Boolean)

/** Adds an id to those in the text, or removes it. */
export function toggleId(text: string, id: string): string {
  const ids = idsIn(text)
  return (ids.includes(id) ? ids.filter((other) => other !== id) : [...ids, id]).join(' ')
}

function LabelsChip({ form, projectId }: PropertyChipsProps) {
  const { api, toasts } = useServices()
  const labels = useAllRows('label', labelQuery(projectId))
  const ids = idsIn(form.values.value.labelIds)
  const chosen = labels.rows.filter(({ id }) => ids.includes(id))
  const label = t('Labels')
  const toggle = async (option: Option) => {
    const id = await labelIdOf(api, projectId, option, labels.rows)
    // The user may have chosen other labels while a new one was created.
    form.set('labelIds', toggleId(form.values.peek().labelIds, id))
  }
  const [first] = chosen
  const summary = chosen.length > 1 ? tn(chosen.length, '1 label', '{count} labels') : (first?.name ?? label)
  return (
    <Field form={form} name="labelIds" label={label} isLabelHidden>
      {(attributes) => (
        <ChoiceChip
          attributes={attributes}
          label={label}
          text={summary}
          mark={
            chosen.length === 0 ? (
              <Icon name="tag" />
            ) : (
              <span class="label-dots">
                {chosen.map(({ id, color }) => (
                  <span key={id} class="label-dot" data-color={color} />
                ))}
              </span>
            )
          }
          isEmpty={first === undefined}
          isMultiple
          chosenIds={ids}
          find={async (text) => suggestLabels(text, labels.rows)}
          onChoose={(option) =>
            form.waitFor(
              toggle(option).catch((error) => {
                toasts.show({ kind: 'problem', text: sentenceOf(error) })
              }),
            )
          }
        />
      )}
    </Field>
  )
}

function DayChips({ form }: PropertyChipsProps) {
  /**
   * A start after the end moves the end, too, so that the duration stays the same. An assignment has both dates
   * or neither, so clearing one day clears both.
   */
  const change = (name: DayChipProps['name'], day: string) => {
    const { startDate, endDate } = form.values.peek()
    form.set(name, day)
    if (day === '') form.set(name === 'startDate' ? 'endDate' : 'startDate', '')
    else if (name === 'startDate' && [startDate, endDate, day].every(isDay) && day > endDate)
      form.set('endDate', addDays(day, Math.max(0, daysBetween(startDate, endDate))))
  }
  return (
    <>
      <DayChip form={form} name="startDate" label={t('Start')} onChange={(day) => change('startDate', day)} />
      <DayChip form={form} name="endDate" label={t('End')} onChange={(day) => change('endDate', day)} />
    </>
  )
}

interface DayChipProps extends Pick<PropertyChipsProps, 'form'> {
  readonly name: 'startDate' | 'endDate'
  readonly label: string
  onChange(day: string): void
}

/** Offers common days, a month, and the day that the user types. */
function DayChip({ form, name, label, onChange }: DayChipProps) {
  const { extensions } = useServices().configuration
  const day = form.values.value[name]
  const optionOf = (id: string, text: string, note: string): Option => ({
    id,
    name: text,
    note,
    mark: <Icon name={id === '' ? 'close' : 'calendar'} />,
  })
  const choices = [
    ...commonDays().map((common) => optionOf(common.day, common.label, formatDay(common.day))),
    ...(extensions && day !== '' ? [optionOf('', t('No dates'), '')] : []),
  ]
  return (
    <Chip
      form={form}
      name={name}
      label={label}
      required={!extensions}
      text={
        isDay(day) ? (
          <>
            <span class="quiet-text">{label}</span> {formatDay(day)}
          </>
        ) : (
          label
        )
      }
      mark={<Icon name={name === 'startDate' ? 'start' : 'end'} />}
      monthOf={isDay(day) ? day : ''}
      emptyMessage={t('Enter a day, such as fri, 12 dec or in 2 weeks.')}
      find={async (text) => {
        const found = choices.filter((choice) => matchesWords(choice.name, text))
        const typed = text.trim() === '' ? undefined : parseDay(text)
        return typed === undefined || found.some(({ id }) => id === typed)
          ? found
          : [optionOf(typed, formatDay(typed), formatWeekday(typed)), ...found]
      }}
      onChange={onChange}
    />
  )
}

interface DayChoice {
  readonly day: string
  readonly label: string
}

/** Returns the days that are chosen most often. “This week” and “next week” end on Friday. */
export function commonDays(): readonly DayChoice[] {
  const friday = addDays(mondayOf(today()), fridayOffset)
  return [
    { day: today(), label: t('Today') },
    { day: addDays(today(), 1), label: t('Tomorrow') },
    ...(friday > today() ? [{ day: friday, label: t('This week') }] : []),
    { day: nextFriday(), label: t('Next week') },
  ]
}

function HoursChip({ form }: PropertyChipsProps) {
  const hours = Number(form.values.value.amountHours)
  const label = t('Planned hours')
  const optionOf = (count: number) => ({ id: String(count), name: formatHours(count) })
  return (
    <Chip
      form={form}
      name="amountHours"
      label={label}
      required
      text={hours === 0 ? t('Hours') : formatHours(hours)}
      isEmpty={hours === 0}
      mark={<Icon name="hourglass" />}
      emptyMessage={t('Enter hours as a number, such as 1.5, 1:30, 1h30 or 90m.')}
      find={async (text) => {
        if (text.trim() === '') return [0, ...usualHours].map(optionOf)
        const typed = parseDuration(text)
        return typed === undefined ? [] : [optionOf(typed)]
      }}
    />
  )
}
