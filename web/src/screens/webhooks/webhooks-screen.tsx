import { useState } from 'preact/hooks'
import { createEvents } from '../../api/events.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useForm } from '../../forms/use-form.ts'
import type { ScreenProps } from '../../router/screen-props.ts'
import { useServices } from '../../services/services.ts'
import { t } from '../../texts/text.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { ProjectCrumbs } from '../../ui/project-crumbs.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { WebhookRow } from './webhook-row.tsx'

/** The webhooks of a project; without a project, for administrators, those of everything. */
export function WebhooksScreen({ parameters: { projectId } }: ScreenProps) {
  const { send } = useServices()
  const [secret, setSecret] = useState<string>()
  const { value, problem, reload } = useLoaded(`webhooks-${projectId}`, [], () =>
    createEvents(send).webhooks(projectId),
  )
  return (
    <Page title={t('Webhooks')} {...(projectId && { above: <ProjectCrumbs projectId={projectId} /> })}>
      <div class="narrow-page">
        <p class="quiet-text">
          {t('Each change is sent to an address of yours, signed with a secret that is shown once.')}
        </p>
        {secret && (
          <p class="form-note" role="status">
            {t('The secret, shown only now:')} <code>{secret}</code>
          </p>
        )}
        <NewWebhook
          projectId={projectId}
          onMade={(made) => {
            setSecret(made)
            reload()
          }}
        />
        {problem && <LoadProblem problem={problem} onRetry={reload} />}
        {value === undefined && !problem && <Skeleton as="rows" rows={2} cells="lines button" />}
        {value?.length === 0 && (
          <EmptyState title={t('No webhooks yet')}>
            <p>{t('Enter an address above: from then on each change is sent to it.')}</p>
          </EmptyState>
        )}
        <ul class="rows">
          {value?.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} onChanged={reload} onSecret={setSecret} />
          ))}
        </ul>
      </div>
    </Page>
  )
}

function NewWebhook({
  projectId,
  onMade,
}: {
  readonly projectId: string | undefined
  onMade(secret: string): void
}) {
  const { send } = useServices()
  const form = useForm({
    draft: `webhook-${projectId}`,
    initial: { url: '', name: '' },
    async submit({ url, name }) {
      const made = await createEvents(send).makeWebhook({
        url,
        name: name || null,
        projectId: projectId ?? null,
      })
      onMade(made.secret)
    },
  })
  return (
    <Form form={form} submitLabel={t('Add a webhook')}>
      <TextField form={form} name="url" label={t('Address, beginning with https')} required />
      <TextField form={form} name="name" label={t('What it is for')} />
    </Form>
  )
}
