import type { RecordOf } from '../api/api.ts'
import { loadAll } from '../api/load-all.ts'
import { sentenceOf } from '../api/problems.ts'
import { doneStagesOf } from '../assignment/assignment-values.ts'
import { changeAssignment } from '../assignment/change-assignment.ts'
import { type Change, changeMany, labelMany } from '../assignment/change-many.ts'
import { labelChoices, labelIdOf, suggest } from '../assignment/labels-section.tsx'
import { parsePriority, priorityChoices } from '../assignment/priority.ts'
import { assignedTo, datesBetween, endDayOf, responsibleOf, startDayOf } from '../data/planned.ts'
import { choosableStages, loadStages, stageLooksOf } from '../data/project-stages.ts'
import { labelQuery } from '../data/use-project-labels.ts'
import type { Services } from '../services/services.ts'
import { inOneLine, t, tn } from '../texts/text.ts'
import { addDays, daysInWeek, formatDay, mondayOf, parseDay, today } from '../time/days.ts'
import { matchesWords, type Option } from '../ui/combobox.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { PriorityShape, StageMark } from '../ui/marks.tsx'
import { findResponsible } from '../ui/person-picker.tsx'
import type { PaletteItem, PaletteStep } from './command-palette.tsx'
import { type AssignmentField, assignmentKeys, keysOf } from './use-shortcuts.ts'

type Assignment = RecordOf<'assignment'>

/** One assignment, or several of one project. */
interface Targets {
  readonly rows: readonly Assignment[]
  readonly name: string
  readonly projectId: string
}

function targetsOf(rows: readonly Assignment[]): Targets {
  const name =
    rows.length === 1 ? (rows[0]?.name ?? '') : tn(rows.length, '1 assignment', '{count} assignments')
  return { rows, name, projectId: rows[0]?.projectId ?? '' }
}

type StepOf = (services: Services, targets: Targets) => PaletteStep

const icons: Readonly<Record<AssignmentField, IconName>> = {
  stage: 'move',
  person: 'person',
  labels: 'bookmark',
  priority: 'warning',
  end: 'calendar',
}

/** The commands that change the focused or open assignment. */
export const actionsOn = (services: Services, target: Assignment): readonly PaletteItem[] =>
  assignmentKeys
    .filter(({ isExtension }) => services.configuration.extensions || !isExtension)
    .map(({ field, description }) => ({
      id: description,
      group: target.name,
      name: t(description),
      mark: <Icon name={icons[field]} />,
      keys: keysOf(description),
      next: () => steps[field](services, targetsOf([target])),
    }))

/** Returns the step that chooses a value for the assignments. */
export const stepFor = (
  services: Services,
  field: AssignmentField,
  rows: readonly Assignment[],
): PaletteStep => steps[field](services, targetsOf(rows))

/** Changes one assignment with its own message, or several with one message. */
function change(
  services: Services,
  { rows }: Targets,
  changeOf: (row: Assignment) => Change,
  { text, value }: { readonly text: string; readonly value: string },
): void {
  const [first, ...others] = rows
  if (first === undefined) return
  if (others.length === 0) return void changeAssignment(services, first.id, changeOf(first), () => text)
  const messageOf = (count: number) =>
    tn(count, 'One assignment: {value}.', '{count} assignments: {value}.', { value })
  void changeMany(services, rows, changeOf, { messageOf })
}

const moveStep: StepOf = (services, targets) => {
  const { rows, name, projectId } = targets
  const title = t('Move {name} to…', { name })
  return {
    title,
    placeholder: title,
    async find(text, signal) {
      const stages = await loadStages(services, projectId, signal)
      const looks = stageLooksOf(stages, doneStagesOf(projectId, stages))
      return choosableStages(stages, rows[0]?.workflowId)
        .filter((stage) => matchesWords(stage.name, text))
        .map((stage) => {
          const look = looks.get(stage.id)
          const done = t('{name} is now in {stage}.', { name, stage: stage.name })
          return {
            id: stage.id,
            name: stage.name,
            group: title,
            mark: look && <StageMark {...look} />,
            isCurrent: rows.every(({ workflowId }) => workflowId === stage.id),
            run: () =>
              change(services, targets, () => ({ workflowId: stage.id }), { text: done, value: stage.name }),
          }
        })
    },
  }
}

const assignStep: StepOf = (services, targets) => {
  const { rows, name, projectId } = targets
  const title = t('Assign {name} to…', { name })
  return {
    title,
    placeholder: title,
    find: async (text, signal) =>
      (await findResponsible(services, projectId, text, signal)).map((option) => ({
        ...option,
        group: title,
        isCurrent: rows.every((row) => responsibleOf(row) === option.id),
        run: () =>
          change(services, targets, () => assignedTo(option.id), {
            text: t('{person} is now responsible for {name}.', { person: option.name, name }),
            value: option.name,
          }),
      })),
  }
}

const labelStep: StepOf = (services, targets) => {
  const { rows, name, projectId } = targets
  const title = t('Labels of {name}', { name })
  const ids = new Set(rows.map(({ id }) => id))
  const [first] = rows
  const query = rows.length === 1 ? { assignmentId: first?.id } : { projectId }
  return {
    title,
    placeholder: title,
    async find(text, signal) {
      const [labels, links] = await Promise.all([
        loadAll(services.api, 'label', labelQuery(projectId), { pagesMax: 5, signal }),
        loadAll(services.api, 'assignmentLabel', query, { pagesMax: 100, signal }),
      ])
      const present = links.rows.filter(({ assignmentId }) => ids.has(assignmentId))
      const choices =
        rows.length === 1 && first
          ? labelChoices(
              services,
              first,
              text,
              labels.rows,
              new Map(present.map(({ id, labelId }) => [labelId, id])),
            )
          : sharedLabelChoices(services, targets, suggest(text, labels.rows), present, labels.rows)
      return choices.map((choice) => ({ ...choice, group: title }))
    },
  }
}

/** Adds a label to those of several assignments that lack it, or removes it if all have it. */
function sharedLabelChoices(
  services: Services,
  { rows, projectId }: Targets,
  options: readonly Option[],
  links: readonly RecordOf<'assignmentLabel'>[],
  labels: readonly RecordOf<'label'>[],
) {
  const { add, remove } = labelMany(services)
  return options.map((option) => {
    const present = links.filter(({ labelId }) => labelId === option.id)
    const absent = rows.filter(({ id }) => present.every(({ assignmentId }) => assignmentId !== id))
    const addToAbsent = async () => {
      const labelId = await labelIdOf(services.api, projectId, option, labels)
      await add(
        absent.map(({ id: assignmentId }) => ({ assignmentId, labelId })),
        option.name,
      )
    }
    const removeFromAll = () =>
      remove(
        present.map(({ id }) => id),
        option.name,
      )
    const report = (error: unknown) => services.toasts.show({ kind: 'problem', text: sentenceOf(error) })
    const run = () => void (absent.length === 0 ? removeFromAll() : addToAbsent()).catch(report)
    return { ...option, isCurrent: absent.length === 0, run }
  })
}

const priorityStep: StepOf = (services, targets) => {
  const { rows, name } = targets
  const title = t('Priority of {name}', { name })
  return {
    title,
    placeholder: title,
    find: async (text) =>
      priorityChoices()
        .filter((choice) => matchesWords(choice.name, text))
        .map((choice) => {
          const priority = parsePriority(choice.id)
          return {
            id: `priority-${choice.id}`,
            name: choice.name,
            group: title,
            mark: <PriorityShape priority={priority ?? 0} />,
            isCurrent: rows.every((row) => (row.priority ?? null) === priority),
            run: () =>
              change(services, targets, () => ({ priority }), {
                text: inOneLine(name, choice.name),
                value: choice.name,
              }),
          }
        }),
  }
}

/** Offers common days, and the typed one. The first end of an assignment without dates begins it as well. */
const endStep: StepOf = (services, targets) => {
  const { rows, name } = targets
  const title = t('End of {name}', { name })
  const itemOf = (day: string, label = formatDay(day)): PaletteItem => ({
    id: `end-${day}`,
    name: label,
    group: title,
    mark: <Icon name={day === '' ? 'close' : 'calendar'} />,
    ...(day !== '' && label !== formatDay(day) && { note: formatDay(day) }),
    isCurrent: rows.every((row) => endDayOf(row) === day),
    run: () =>
      change(services, targets, (row) => endOn(row, day), { text: inOneLine(name, label), value: label }),
  })
  const monday = addDays(mondayOf(today()), daysInWeek)
  const common = [
    itemOf(today(), t('Today')),
    itemOf(addDays(today(), 1), t('Tomorrow')),
    itemOf(addDays(monday, -3), t('This week')),
    itemOf(addDays(monday, 4), t('Next week')),
    ...(services.configuration.extensions ? [itemOf('', t('No dates'))] : []),
  ]
  return {
    title,
    placeholder: t('Day, such as fri or 12 dec'),
    async find(text) {
      const typed = text.trim() === '' ? undefined : parseDay(text)
      const items = [
        ...(typed ? [itemOf(typed)] : []),
        ...common.filter((item) => matchesWords(item.name, text)),
      ]
      // Tomorrow may be the end of the week as well.
      return items.filter(({ id }, index) => items.findIndex((item) => item.id === id) === index)
    },
  }
}

/** The start moves with an end before it. */
function endOn(row: Assignment, day: string): Change {
  if (day === '') return { isUnscheduled: true }
  const start = startDayOf(row)
  if (start === '') return datesBetween('', day)
  return start > day ? { startDate: day, endDate: day } : { endDate: day }
}

const steps: Readonly<Record<AssignmentField, StepOf>> = {
  stage: moveStep,
  person: assignStep,
  labels: labelStep,
  priority: priorityStep,
  end: endStep,
}
