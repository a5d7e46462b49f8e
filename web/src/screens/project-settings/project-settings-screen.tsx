import { useState } from 'preact/hooks'
import { TrackerError } from '#tracker-client'
import type { RecordOf } from '../../api/api.ts'
import { rowsMax } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { colorChoices } from '../../assignment/labels.tsx'
import { useListing } from '../../data/use-listing.ts'
import { useMembers } from '../../data/use-members.ts'
import { ChoiceField, NameField, TextField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import type { ScreenProps } from '../../router/router.ts'
import { useRemoval, useServices } from '../../services/services.ts'
import { type MessageKey, t } from '../../texts/text.ts'
import { DescriptionTextField, OrganizationField } from '../../ui/form-fields.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { hueOf } from '../../ui/marks.tsx'
import { MembersDialog } from '../../ui/members-dialog.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { Faces } from '../../ui/people.tsx'
import { ProjectSubPage, useSettingsParts } from '../../ui/project-sub-page.tsx'
import { IndexedPart, SavedHeading, SideIndex } from '../../ui/settings-page.tsx'
import { StagesSection } from './stages-section.tsx'

/** Shows the properties, stages, members and integrations of a project. All members may change them. */
export function ProjectSettingsScreen({ parameters: { projectId = '' } }: ScreenProps) {
  const projects = useListing('project', { ids: projectId })
  const [project] = projects.rows
  return (
    <ProjectSubPage projectId={projectId} path="settings" title={t('Settings')}>
      {projects.problem && <LoadProblem problem={projects.problem} onRetry={projects.reload} />}
      {projects.isLoading && <Skeleton as="boxes" blocks={2} rows={3} cells="lines" />}
      {!projects.isLoading && !projects.problem && !project && (
        <EmptyState icon="folder" title={t('There is no such project, or you are not a member of it')}>
          <a href="/projects">{t('Go to the projects')}</a>
        </EmptyState>
      )}
      {project && <Settings key={project.id} project={project} />}
    </ProjectSubPage>
  )
}

function Settings({ project }: { readonly project: RecordOf<'project'> }) {
  const { configuration } = useServices()
  const [isChangingMembers, setChangingMembers] = useState(false)
  return (
    <SideIndex parts={useSettingsParts()}>
      <IndexedPart id="general">
        <GeneralSection project={project} />
      </IndexedPart>
      <IndexedPart id="stages">
        <StagesSection projectId={project.id} />
      </IndexedPart>
      <IndexedPart id="members">
        <section aria-labelledby="settings-members">
          <h2 id="settings-members">{t('Members')}</h2>
          <ul class="rows">
            <MembersRow projectId={project.id} onOpen={() => setChangingMembers(true)} />
          </ul>
        </section>
      </IndexedPart>
      {configuration.extensions && (
        <IndexedPart id="integrations">
          <section aria-labelledby="settings-integrations">
            <h2 id="settings-integrations">{t('Integrations')}</h2>
            <ul class="rows">
              {integrations.map((page) => (
                <LinkRow key={page.path} {...page} path={`/projects/${project.id}/${page.path}`} />
              ))}
            </ul>
          </section>
        </IndexedPart>
      )}
      <IndexedPart id="end">
        <ArchiveSection project={project} />
      </IndexedPart>
      {isChangingMembers && <MembersDialog project={project} onClose={() => setChangingMembers(false)} />}
    </SideIndex>
  )
}

/** Shows the faces of the members, and opens the dialog that changes them. */
function MembersRow({ projectId, onOpen }: { readonly projectId: string; onOpen(): void }) {
  const { ids, totalCount } = useMembers(projectId)
  // Each membership after the first page counts as a member.
  const count = ids.length + Math.max(0, totalCount - rowsMax)
  return (
    <li class="row whole-row">
      <Icon name="people" />
      <button type="button" class="row-link" aria-haspopup="dialog" onClick={onOpen}>
        {t('Members')}
      </button>
      <Faces ids={ids} count={count} />
      <Icon name="right" />
    </li>
  )
}

interface LinkRowProps {
  readonly path: string
  readonly label: MessageKey
  readonly icon: IconName
}

const integrations: readonly LinkRowProps[] = [
  { path: 'webhooks', label: 'Webhooks', icon: 'link' },
  { path: 'import', label: 'Import', icon: 'download' },
]

const LinkRow = ({ path, label, icon }: LinkRowProps) => (
  <li class="row whole-row">
    <Icon name={icon} />
    <a class="row-link" href={path}>
      {t(label)}
    </a>
    <Icon name="right" />
  </li>
)

/**
 * Archives or removes the project. An archived project is not listed with the others. A removed project can
 * be restored.
 */
function ArchiveSection({ project }: { readonly project: RecordOf<'project'> }) {
  const { api, configuration, router, toasts, tracker } = useServices()
  const remove = useRemoval()
  const { id, name, isArchived = false } = project
  const archive = () =>
    tracker.call('PATCH /ext/project', { body: { id, isArchived: !isArchived } }).then(
      () => {
        api.announce('project')
        toasts.show({
          kind: 'done',
          text: isArchived
            ? t('{name} is no longer archived.', { name })
            : t('{name} is archived.', { name }),
        })
      },
      (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
  const removeProject = () => remove('project', id, name, '{name} was removed.', () => router.go('/projects'))
  return (
    <section aria-labelledby="settings-end">
      <h2 id="settings-end">{t('Archive or remove')}</h2>
      <ul class="rows">
        {configuration.extensions && (
          <li class="row">
            <span class="row-text">
              {isArchived ? t('Unarchive this project') : t('Archive this project')}
              <span class="quiet-text line">
                {t(
                  'An archived project is not listed with the others; its members still find everything in it.',
                )}
              </span>
            </span>
            <button type="button" class="button" onClick={() => void archive()}>
              {isArchived ? t('Unarchive') : t('Archive')}
            </button>
          </li>
        )}
        <li class="row">
          <span class="row-text">
            {t('Remove this project')}
            <span class="quiet-text line">
              {t('Only a project without assignments can be removed. It can be restored.')}
            </span>
          </span>
          <button type="button" class="button danger" onClick={() => void removeProject()}>
            {t('Remove')}
          </button>
        </li>
        {configuration.extensions && <LinkRow path="/removed" label="Removed items" icon="trash" />}
      </ul>
    </section>
  )
}

type Project = RecordOf<'project'>

/** Returns the timestamp by which the API detects changes by other users. */
const versionOf = ({ updatedAt, createdAt }: Project): string => updatedAt ?? createdAt

/** If the extensions are off, description, key and color are not shown, and the server ignores them. */
const valuesOf = ({ name, organizationId, description, key = '', color }: Project) => ({
  name,
  organizationId,
  description: description ?? '',
  key,
  color: color ?? '',
})

/**
 * Changes a project. A change by another user since the page was opened is shown before it is overwritten.
 */
function GeneralSection({ project }: { readonly project: Project }) {
  const { api, configuration, toasts } = useServices()
  const { id } = project
  const [base, setBase] = useState(project)
  const [theirs, setTheirs] = useState<Project>()
  const form = useForm({
    draft: `project-${id}`,
    initial: valuesOf(base),
    async submit(values) {
      const before = theirs ?? base
      const expectedVersion = versionOf(before)
      try {
        let version = versionOf(await save(values, expectedVersion))
        // Undo and Redo do not overwrite a later change by another user.
        const saveAgain = (next: typeof values) => async () => {
          version = versionOf(await save(next, version))
        }
        toasts.show({
          kind: 'done',
          text: t('{name} was saved.', { name: values.name }),
          undo: saveAgain(valuesOf(before)),
          redo: saveAgain(values),
        })
      } catch (error) {
        if (!(error instanceof TrackerError && error.status === 409) || error.errors.key) throw error
        const current = await api.get('project', id)
        if (versionOf(current) === expectedVersion) throw error
        setTheirs(current)
        throw new TrackerError(409, t('Someone else has changed this project in the meantime.'))
      }
    },
  })
  const save = async (values: ReturnType<typeof valuesOf>, expectedVersion: string) => {
    const color = (values.color || null) as NonNullable<Project['color']> | null
    await api.update('project', { id, ...values, color, expectedVersion })
    const saved = await api.get('project', id)
    rebase(saved)
    return saved
  }
  const rebase = (current: Project) => {
    setBase(current)
    setTheirs(undefined)
    form.follow(valuesOf(current))
  }
  const keepTheirs = () => {
    if (theirs) rebase(theirs)
    form.discard()
  }
  const isChanged = form.isChanged.value || theirs !== undefined
  return (
    <section aria-labelledby="settings-general">
      <SavedHeading id="settings-general" title={t('General')} isChanged={isChanged} form={form} />
      {theirs && <Conflict theirs={theirs} mine={form.values.value.name} onKeepTheirs={keepTheirs} />}
      <div class="setting-box">
        <Form
          form={form}
          submitLabel={theirs ? t('Save mine anyway') : t('Save')}
          isIdle={!isChanged}
          onCancel={() => undefined}
          onDone={form.discard}
        >
          <NameField form={form} />
          <OrganizationField form={form} required />
          {configuration.extensions && (
            <>
              <DescriptionTextField form={form} />
              <TextField
                form={form}
                name="key"
                label={t('Key')}
                hint={t(
                  'The first part of addresses such as {example}. Former addresses still lead to their assignments.',
                  { example: `${base.key}-12` },
                )}
                required
              />
              <ChoiceField form={form} name="color" label={t('Color')} choices={choicesFor(id)} />
            </>
          )}
        </Form>
      </div>
    </section>
  )
}

/** The default color of a project depends on its id. */
const choicesFor = (id: string) =>
  colorChoices.map((choice) => (choice.id === '' ? { ...choice, color: hueOf(id) } : choice))

interface ConflictProps {
  readonly theirs: Project
  readonly mine: string
  onKeepTheirs(): void
}

const Conflict = ({ theirs, mine, onKeepTheirs }: ConflictProps) => (
  <div class="conflict">
    <dl class="facts">
      <dt>{t('Theirs')}</dt>
      <dd dir="auto">{theirs.name}</dd>
      <dt>{t('Yours')}</dt>
      <dd dir="auto">{mine}</dd>
    </dl>
    <button type="button" class="button" onClick={onKeepTheirs}>
      {t('Keep theirs')}
    </button>
  </div>
)
