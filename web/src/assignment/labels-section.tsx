import { useState } from 'preact/hooks'
import { limits } from '#tracker-client'
import type { Api, RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import type { Label } from '../data/use-project-labels.ts'
import { type Services, useServices } from '../services/services.ts'
import { locale, t } from '../texts/text.ts'
import { Combobox, type Option } from '../ui/combobox.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyDialog } from '../ui/lazy-dialog.tsx'
import { useRemoval } from '../ui/use-removal.ts'
import { LabelChip, type LabelColor, labelColors } from './labels.tsx'
import { Adder, PanelSection } from './panel-section.tsx'
import type { PanelSections } from './use-panel-sections.ts'

interface LabelsSectionProps extends Pick<PanelSections, 'labels' | 'labelLinks'> {
  readonly assignment: RecordOf<'assignment'>
}

const LabelsDialog = lazyDialog(async () => (await import('./labels-dialog.tsx')).LabelsDialog)

/** The id of the suggestion that creates a label with the typed name. */
const newId = 'new'

/** Shows the labels of an assignment, and adds, creates and removes them. */
export function LabelsSection({ assignment, labels, labelLinks }: LabelsSectionProps) {
  const { projectId } = assignment
  const { api } = useServices()
  const remove = useRemoval()
  const [problem, setProblem] = useState<string>()
  const [isManaging, setManaging] = useState(false)
  const linkIds = new Map(labelLinks.rows.map(({ id, labelId }) => [labelId, id]))
  const add = async (option: Option) => {
    setProblem(undefined)
    try {
      await addLabel(api, assignment, option, labels.rows)
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  return (
    <PanelSection name="labels" title={t('Labels')} isEmpty={linkIds.size === 0} isField>
      <span class="labels">
        {labels.rows.map((label) => {
          const linkId = linkIds.get(label.id)
          return linkId === undefined ? null : (
            <LabelChip key={label.id} label={label}>
              <button
                type="button"
                class="label-remove"
                aria-label={t('Remove the label {name}', { name: label.name })}
                onClick={() => void remove('assignmentLabel', linkId, label.name)}
              >
                <Icon name="close" />
              </button>
            </LabelChip>
          )
        })}
      </span>
      <Adder>
        <Combobox
          label={t('Add a label')}
          placeholder={t('Add a label…')}
          valueText=""
          find={async (text) => suggest(text, labels.rows, linkIds)}
          onChoose={(option) => void add(option)}
        />
        <button
          type="button"
          class="button quiet icon-only"
          aria-label={t('Labels of the project…')}
          title={t('Labels of the project…')}
          onClick={() => setManaging(true)}
        >
          <Icon name="gear" />
        </button>
      </Adder>
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
      {isManaging && <LabelsDialog projectId={projectId} onClose={() => setManaging(false)} />}
    </PanelSection>
  )
}

type Target = Pick<RecordOf<'assignment'>, 'id' | 'name' | 'projectId'>

/** Returns the id of a suggested label. A new one is created first. */
export const labelIdOf = async (
  api: Api,
  projectId: string,
  { id, name }: Option,
  labels: readonly Label[],
): Promise<string> =>
  id === newId ? (await api.create('label', { projectId, name, color: nextColor(labels) })).id : id

const addLabel = async (
  api: Api,
  { id: assignmentId, projectId }: Target,
  option: Option,
  labels: readonly Label[],
): Promise<RecordOf<'assignmentLabel'>> =>
  api.create('assignmentLabel', {
    assignmentId,
    labelId: await labelIdOf(api, projectId, option, labels),
  })

/**
 * Returns the labels that match the text, as commands that add the label, or remove it if the assignment has
 * it. Both offer Undo. `linkIds` has the links of the assignment by the ids of their labels.
 */
export function labelChoices(
  { api, toasts }: Pick<Services, 'api' | 'toasts'>,
  target: Target,
  text: string,
  labels: readonly Label[],
  linkIds: ReadonlyMap<string, string>,
) {
  const report = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
  const toggle = async (option: Option) => {
    const linkId = linkIds.get(option.id)
    const values = { label: option.name, name: target.name }
    if (linkId === undefined) {
      const { id } = await addLabel(api, target, option, labels)
      const undo = () => api.remove('assignmentLabel', [id]).catch(report)
      return toasts.show({ kind: 'done', text: t('{label} was added to {name}.', values), undo })
    }
    await api.remove('assignmentLabel', [linkId])
    const undo = () => api.restore('assignmentLabel', [linkId]).catch(report)
    toasts.show({ kind: 'done', text: t('{label} was removed from {name}.', values), undo })
  }
  return suggest(text, labels).map((option) => ({
    ...option,
    isCurrent: linkIds.has(option.id),
    run: () => void toggle(option).catch(report),
  }))
}

/** Suggests labels of the project that contain the text and are not present, and a new one if no label has this name. */
export function suggest(
  text: string,
  labels: readonly Label[],
  present: { has(labelId: string): boolean } = new Set(),
): readonly Option[] {
  const inLowerCase = (name: string) => name.toLocaleLowerCase(locale())
  const name = text.trim().slice(0, limits.labelName)
  const wanted = inLowerCase(name)
  const found = labels.filter((label) => !present.has(label.id) && inLowerCase(label.name).includes(wanted))
  const isTaken = labels.some((label) => inLowerCase(label.name) === wanted)
  return [
    ...found.map((label) => ({
      id: label.id,
      name: label.name,
      ...(label.description && { note: label.description }),
      mark: <span class="label-dot" data-color={label.color} />,
    })),
    ...(name === '' || isTaken
      ? []
      : [{ id: newId, name, note: t('New label'), mark: <Icon name="plus" /> }]),
  ]
}

/** Returns the color that the fewest labels have. */
export function nextColor(labels: readonly Pick<Label, 'color'>[]): LabelColor {
  const count = (color: LabelColor) => labels.filter((label) => label.color === color).length
  return (Object.keys(labelColors) as LabelColor[]).reduce((best, color) =>
    count(color) < count(best) ? color : best,
  )
}
