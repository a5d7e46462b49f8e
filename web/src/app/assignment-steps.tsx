import type { RecordOf } from '../api/api.ts'
import { loadAll } from '../api/load-all.ts'
import { sentenceOf } from '../api/problems.ts'
import { doneStagesOf } from '../assignment/assignment-values.ts'
import { type Change, changeValue, createLabelActions, moveAssignments } from '../assignment/change-many.ts'
import { labelChoices, labelIdOf, optionOfLabel, suggestNewLabel } from '../assignment/labels-section.tsx'
import { commonDays } from '../assignment/new-assignment-chips.tsx'
import { parsePriority, priorityChoices } from '../assignment/priority.ts'
import { withQueuedStage } from '../assignment/queue.ts'
import {
  assignedTo,
  datesBetween,
  endDayOf,
  responsibleOf,
  startDayOf,
  startOn,
} from '../data/assignments.ts'
import { labelQuery } from '../data/project-links.ts'
import { choosableStages, loadStages, stageLooksOf } from '../data/project-stages.ts'
import { catalogQuery } from '../data/use-listing.ts'
import type { Services } from '../services/services.ts'
import { inOneLine, type MessageKey, shortenName, t, tn } from '../texts/text.ts'
import { dayOf, formatDay, parseDay } from '../time/days.ts'
import { formatHours, parseDuration, usualHours } from '../time/hours.ts'
import type { Option } from '../ui/combobox.tsx'
import { findMatches, joinWords, type Match, rankFound } from '../ui/fuzzy.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { PriorityShape, StageMark, TypeShape } from '../ui/marks.tsx'
import { findResponsible, PersonAvatar } from '../ui/people.tsx'
import type { PaletteItem, PaletteStep } from './command-palette.tsx'
import { fieldWords } from './typed-texts.ts'
import { type AssignmentField, assignmentKeys } from './use-shortcuts.ts'

type Assignment = RecordOf<'assignment'>

/** The assignments that a step changes, all of the same project. */
interface Targets {
  readonly rows: readonly Assignment[]
  /** The name of the only assignment, or the number of assignments, such as "3 assignments". */
  readonly name: string
  readonly projectId: string
}

function targetsOf(rows: readonly Assignment[]): Targets {
  const name =
    rows.length === 1 ? (rows[0]?.name ?? '') : tn(rows.length, '1 assignment', '{count} assignments')
  return { rows, name, projectId: rows[0]?.projectId ?? '' }
}

type StepOf = (services: Services, targets: Targets) => Pick<PaletteStep, 'hint' | 'hasMonth' | 'find'>

/** The commands that change the assignments. Without assignments, they have no effect: only their names are used. */
export const actionsOn = (services: Services, rows: readonly Assignment[]): readonly PaletteItem[] =>
  namedActionsOn(services, rows, titleOf)

/** The same commands as lines of a menu, where the name of the field is enough. */
export const fieldsOn = (services: Services, rows: readonly Assignment[]): readonly PaletteItem[] =>
  namedActionsOn(services, rows, (field) => t(fields[field].label))

function namedActionsOn(
  services: Services,
  rows: readonly Assignment[],
  nameOf: (field: AssignmentField) => string,
): readonly PaletteItem[] {
  const targets = targetsOf(rows)
  const group = targets.name
  const fieldAction = (field: AssignmentField): PaletteItem => ({
    id: field,
    group,
    name: nameOf(field),
    words: joinWords(fieldWords[field], titleOf(field)),
    mark: <Icon name={fields[field].icon} />,
    keys: keyOf(field)?.keys ?? [],
    next: () => stepFor(services, field, rows),
  })
  const blockAction: PaletteItem = {
    id: 'block',
    group,
    name: t('Mark as blocked'),
    words: { en: 'impediment stuck', pt: 'impedimento bloqueio' },
    mark: <Icon name="warning" />,
    next: () => blockStep(services, targets),
  }
  return [
    ...(Object.keys(fields) as AssignmentField[])
      .filter((field) => services.configuration.extensions || !keyOf(field)?.isExtension)
      .flatMap((field) => [
        fieldAction(field),
        ...(field === 'person' ? assignToMe(services, targets, group) : []),
      ]),
    ...(rows.length > 1 ? [] : [blockAction]),
  ]
}

/** Returns no item if there are assignments and the user is already responsible for all of them. */
function assignToMe(services: Services, targets: Targets, group: string): readonly PaletteItem[] {
  const me = services.session.person.value
  const { rows, name } = targets
  const isMine = rows.length > 0 && rows.every((row) => responsibleOf(row) === me?.id)
  if (me === undefined || isMine) return []
  return [
    {
      id: 'assign-to-me',
      group,
      name: t('Assign to me'),
      words: { en: 'assign take mine', pt: 'atribuir pegar minha' },
      mark: <PersonAvatar id={me.id} isDecorative />,
      run: () =>
        changeValue(services, rows, () => assignedTo(me.id), {
          text: t('{person} is now responsible for {name}.', { person: me.name, name }),
          value: me.name,
        }),
    },
  ]
}

const keyOf = (field: AssignmentField) => assignmentKeys.find((key) => key.field === field)

/** Returns the title of the action on a field, such as “Move to a stage…”. */
const titleOf = (field: AssignmentField): string =>
  t(keyOf(field)?.description ?? fields[field].description ?? 'Actions')

/** Returns the step in which the user chooses a value for the assignments. */
export const stepFor = (
  services: Services,
  field: AssignmentField,
  rows: readonly Assignment[],
): PaletteStep => {
  const step = fields[field].step(services, targetsOf(rows))
  const find: PaletteStep['find'] = async (text, signal) => {
    if (field !== 'stage' && !services.isReachable.peek())
      throw new Error(t('Without a network, you can only change the stage and record hours.'))
    return step.find(text, signal)
  }
  return { title: t(fields[field].label), placeholder: titleOf(field), ...step, find }
}

/** Words for the stage that means done. */
const doneWords = { en: 'complete finish close resolve', pt: 'concluir finalizar fechar encerrar' }

const moveStep: StepOf = (services, targets) => {
  const { rows, name, projectId } = targets
  return {
    async find(text, signal) {
      const stages = await loadStages(services, projectId, signal)
      const looks = stageLooksOf(stages, doneStagesOf(projectId, stages))
      return findMatches(choosableStages(stages, rows[0]?.workflowId), text).map(
        ({ id, name: stage, spans }) => {
          const look = looks.get(id)
          return {
            id,
            name: stage,
            spans,
            group: name,
            mark: look && <StageMark {...look} />,
            ...(look?.isDone && { words: doneWords }),
            isCurrent: rows.every((row) => withQueuedStage(row).workflowId === id),
            run: () => void moveAssignments(services, rows, { id, name: stage }),
          }
        },
      )
    },
  }
}

const assignStep: StepOf = (services, targets) => {
  const { rows, name, projectId } = targets
  return {
    find: async (text, signal) =>
      (await findForgiving((typed) => findResponsible(services, projectId, typed, signal), text)).map(
        (option) => ({
          ...option,
          group: name,
          isCurrent: rows.every((row) => responsibleOf(row) === option.id),
          run: () =>
            changeValue(services, rows, () => assignedTo(option.id), {
              text: t('{person} is now responsible for {name}.', { person: option.name, name }),
              value: option.name,
            }),
        }),
      ),
  }
}

/** Searches on the server or, if that finds nothing, fuzzily among the results for an empty text. */
export async function findForgiving<Found extends { readonly id: string; readonly name: string }>(
  find: (text: string) => Promise<readonly Found[]>,
  text: string,
): Promise<readonly (Found & Match)[]> {
  const found = await find(text)
  return found.length > 0 ? rankFound(found, text) : findMatches(await find(''), text)
}

const labelStep: StepOf = (services, targets) => {
  const { rows, name, projectId } = targets
  const ids = new Set(rows.map(({ id }) => id))
  const [first] = rows
  const query = rows.length === 1 ? { assignmentId: first?.id } : { projectId }
  return {
    async find(text, signal) {
      const [labels, links] = await Promise.all([
        loadAll(services.api, 'label', labelQuery(projectId), { pagesMax: 5, signal }),
        loadAll(services.api, 'assignmentLabel', query, { pagesMax: 100, signal }),
      ])
      const present = links.rows.filter(({ assignmentId }) => ids.has(assignmentId))
      const options = [
        ...findMatches(labels.rows.map(optionOfLabel), text),
        ...suggestNewLabel(text, labels.rows).map((option) => ({ ...option, isCreation: true })),
      ]
      const linkIds = new Map(present.map(({ id, labelId }) => [labelId, id]))
      const choices =
        rows.length === 1 && first
          ? labelChoices(services, first, options, labels.rows, linkIds)
          : sharedLabelChoices(services, targets, options, present, labels.rows)
      return choices.map(({ isCurrent, ...choice }) => ({ ...choice, group: name, isChecked: isCurrent }))
    },
  }
}

/** Returns choices that add a label to the assignments that lack it, or remove it if all have it. */
function sharedLabelChoices<Choice extends Option>(
  services: Services,
  { rows, projectId }: Targets,
  options: readonly Choice[],
  links: readonly RecordOf<'assignmentLabel'>[],
  labels: readonly RecordOf<'label'>[],
) {
  const { add, remove } = createLabelActions(services)
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
  return {
    find: async (text) =>
      findMatches(priorityChoices(), text).map((choice) => {
        const priority = parsePriority(choice.id)
        return {
          id: `priority-${choice.id}`,
          name: choice.name,
          spans: choice.spans,
          group: name,
          mark: <PriorityShape priority={priority ?? 0} />,
          isCurrent: rows.every((row) => (row.priority ?? null) === priority),
          run: () =>
            changeValue(services, rows, () => ({ priority }), {
              text: inOneLine(shortenName(name), choice.name),
              value: choice.name,
            }),
        }
      }),
  }
}

const typeStep: StepOf = (services, targets) => {
  const { rows, name } = targets
  return {
    async find(text, signal) {
      const { data } = await services.api.list('assignmentType', catalogQuery, signal)
      return findMatches(data, text).map((type) => ({
        id: type.id,
        name: type.name,
        spans: type.spans,
        group: name,
        mark: <TypeShape name={type.name} />,
        isCurrent: rows.every(({ assignmentTypeId }) => assignmentTypeId === type.id),
        run: () =>
          changeValue(services, rows, () => ({ assignmentTypeId: type.id }), {
            text: inOneLine(shortenName(name), type.name),
            value: type.name,
          }),
      }))
    },
  }
}

/** Offers the kinds of impediments that can block an assignment. */
const blockStep = (services: Services, { rows, name }: Targets): PaletteStep => {
  const { api, toasts } = services
  const block = async (impedimentId: string, impediment: string) => {
    try {
      const { id } = await api.create('assignmentImpediment', {
        assignmentId: rows[0]?.id ?? '',
        impedimentId,
      })
      toasts.show({
        kind: 'done',
        text: t('{name} is blocked: {impediment}.', { name, impediment }),
        undo: () => api.remove('assignmentImpediment', [id]),
        redo: () => api.restore('assignmentImpediment', [id]),
      })
    } catch (error) {
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
  return {
    title: t('Mark as blocked'),
    placeholder: t('What blocks it?'),
    async find(text, signal) {
      const kinds = await loadAll(api, 'impediment', catalogQuery, { pagesMax: 5, signal })
      return findMatches(kinds.rows, text).map((kind) => ({
        id: kind.id,
        name: kind.name,
        spans: kind.spans,
        group: name,
        mark: <Icon name="warning" />,
        run: () => void block(kind.id, kind.name),
      }))
    },
  }
}

/** Offers the usual and the current hours or, if the user has typed a text, only the typed hours. */
const hoursStep: StepOf = (services, targets) => {
  const { rows, name } = targets
  const itemOf = (hours: number): PaletteItem => ({
    id: String(hours),
    name: hours === 0 ? t('None') : formatHours(hours),
    group: name,
    mark: <Icon name={hours === 0 ? 'close' : 'hourglass'} />,
    isCurrent: rows.every(({ amountHours }) => amountHours === hours),
    run: () =>
      changeValue(services, rows, () => ({ amountHours: hours }), {
        text: inOneLine(shortenName(name), formatHours(hours)),
        value: formatHours(hours),
      }),
  })
  return {
    hint: t('Hours, such as 1.5, 1h30 or 90m'),
    async find(text) {
      const typed = parseDuration(text)
      if (text.trim() !== '') return typed === undefined ? [] : [itemOf(typed)]
      const current = rows.length === 1 ? rows.map(({ amountHours }) => amountHours) : []
      return [...new Set([0, ...usualHours, ...current])].sort((a, b) => a - b).map(itemOf)
    },
  }
}

interface DayStep {
  dayIn(row: Assignment): string
  changeOf(row: Assignment, day: string): Change
}

/** Offers the current day, common days, and the day that the user types or chooses from the month. */
const dayStep =
  ({ dayIn, changeOf }: DayStep): StepOf =>
  (services, targets) => {
    const { rows, name } = targets
    const itemOf = (day: string, label = formatDay(day)): PaletteItem => ({
      id: `day-${day}`,
      name: label,
      group: name,
      day,
      mark: <Icon name={day === '' ? 'close' : 'calendar'} />,
      ...(day !== '' && label !== formatDay(day) && { note: formatDay(day) }),
      isCurrent: rows.every((row) => dayIn(row) === day),
      run: () =>
        changeValue(services, rows, (row) => changeOf(row, day), {
          text: dayText(name, label, rows.length === 1 && rows[0] ? changeOf(rows[0], day) : {}),
          value: label,
        }),
    })
    const common = [
      ...commonDays().map(({ day, label }) => itemOf(day, label)),
      ...(services.configuration.extensions ? [itemOf('', t('No dates'))] : []),
    ]
    const [first] = rows
    const current = first && rows.length === 1 && dayIn(first) !== '' ? [itemOf(dayIn(first))] : []
    return {
      hint: t('Day, such as fri or 12 dec'),
      hasMonth: true,
      async find(text) {
        const typed = text.trim() === '' ? undefined : parseDay(text)
        const items = [...(typed ? [itemOf(typed)] : []), ...findMatches([...current, ...common], text)]
        // Two items may have the same day: on a Thursday, tomorrow is the end of this week.
        return items.filter(({ id }, index) => items.findIndex((item) => item.id === id) === index)
      },
    }
  }

/** Names both days if both change, because an end before the start also moves the start. */
function dayText(name: string, label: string, { startDate, endDate, isUnscheduled }: Change): string {
  if (startDate === undefined || endDate === undefined || isUnscheduled)
    return inOneLine(shortenName(name), label)
  const values = { name, from: formatDay(dayOf(startDate)), to: formatDay(dayOf(endDate)) }
  return t('{name} is now from {from} to {to}.', values)
}

/** Returns the change that sets the end. A start that would be later is moved to the same day. */
function endOn(row: Assignment, day: string): Change {
  if (day === '') return { isUnscheduled: true }
  const start = startDayOf(row)
  if (start === '') return datesBetween('', day)
  return start > day ? { startDate: day, endDate: day } : { endDate: day }
}

function startingOn(row: Assignment, day: string): Change {
  if (day === '') return { isUnscheduled: true }
  return row.isUnscheduled ? datesBetween(day, '') : startOn(day, row)
}

interface FieldAction {
  readonly label: MessageKey
  readonly icon: IconName
  readonly step: StepOf
  /** Missing for a field with a key, whose description is in the list of shortcuts. */
  readonly description?: MessageKey
}

/** The fields in the order that they have everywhere. */
const fields: Readonly<Record<AssignmentField, FieldAction>> = {
  stage: {
    label: 'Stage',
    icon: 'columns',
    step: moveStep,
  },
  priority: {
    label: 'Priority',
    icon: 'priority',
    step: priorityStep,
  },
  person: {
    label: 'Responsible',
    icon: 'person',
    step: assignStep,
  },
  labels: { label: 'Labels', icon: 'tag', step: labelStep },
  type: {
    label: 'Type',
    icon: 'shapes',
    description: 'Change the type…',
    step: typeStep,
  },
  start: {
    label: 'Start',
    icon: 'start',
    description: 'Set the start…',
    step: dayStep({ dayIn: startDayOf, changeOf: startingOn }),
  },
  end: {
    label: 'End',
    icon: 'end',
    step: dayStep({ dayIn: endDayOf, changeOf: endOn }),
  },
  hours: {
    label: 'Planned hours',
    icon: 'hourglass',
    description: 'Set the planned hours…',
    step: hoursStep,
  },
}
