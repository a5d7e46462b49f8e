import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import {
  type AppOffer,
  type CreatedCodes,
  canCreatePasskey,
  createFactors,
  type Factors,
  type OwnFactors,
  type Passkey,
  StaleSignInError,
} from '../../api/identity.ts'
import { sentenceOf } from '../../api/problems.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { NameField, TextField } from '../../forms/fields.tsx'
import { Form, useForm } from '../../forms/form.tsx'
import { useServices, useSignIn } from '../../services/services.ts'
import { inOneLine, t, tn } from '../../texts/text.ts'
import { formatTimestamp } from '../../time/days.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { describeUserAgent } from './describe-user-agent.ts'

/** The dialog in front of the page. */
type OpenDialog =
  | { readonly kind: 'app'; readonly offer: AppOffer }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'name'; readonly passkey: Passkey }
  | { readonly kind: 'stale' }
  | { readonly kind: 'confirm'; readonly confirmation: Confirmation }

interface Confirmation {
  readonly title: string
  readonly text: string
  readonly confirmLabel: string
  work(): Promise<unknown>
}

/** Manages the user's authenticator app, passkeys and recovery codes. */
export function FactorsSection() {
  const { configuration, session, toasts } = useServices()
  const startSignIn = useSignIn()
  const factors = createFactors(configuration, session)
  const { value: ownFactors, problem, reload } = useLoaded('factors', [], () => factors.readOwn())
  const [dialog, setDialog] = useState<OpenDialog>()
  const showCodes = ({ recoveryCodes }: CreatedCodes) => {
    setDialog(recoveryCodes ? { kind: 'codes', codes: recoveryCodes } : undefined)
    reload()
  }
  const run = async (work: () => Promise<unknown>) => {
    try {
      await work()
      reload()
    } catch (error) {
      if (error instanceof StaleSignInError) return setDialog({ kind: 'stale' })
      // The user has closed the browser's own dialog.
      if (error instanceof DOMException) return
      toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
  }
  const close = () => setDialog(undefined)
  return (
    <section aria-labelledby="factors-title">
      <h2 id="factors-title">{t('Second factor')}</h2>
      <p class="form-note">
        {ownFactors?.isRequired
          ? t('Your account must have one, so that your password alone is not enough to sign in.')
          : t('With a second factor, your password alone is not enough to sign in.')}{' '}
        {t('Changes here sign you out on all other devices.')}
      </p>
      {problem && <LoadProblem problem={problem} onRetry={reload} />}
      {ownFactors === undefined && !problem && <Skeleton as="rows" rows={1} cells="lines button" />}
      {ownFactors && (
        <FactorRows
          ownFactors={ownFactors}
          factors={factors}
          run={run}
          setDialog={setDialog}
          onCodes={showCodes}
        />
      )}
      {dialog?.kind === 'app' && (
        <AppDialog offer={dialog.offer} factors={factors} onDone={showCodes} onClose={close} />
      )}
      {dialog?.kind === 'codes' && <RecoveryCodesDialog codes={dialog.codes} onClose={close} />}
      {dialog?.kind === 'name' && (
        <PasskeyNameDialog passkey={dialog.passkey} factors={factors} onDone={reload} onClose={close} />
      )}
      {dialog?.kind === 'confirm' && (
        <ConfirmDialog
          {...dialog.confirmation}
          onConfirm={() => void run(dialog.confirmation.work)}
          onClose={close}
        />
      )}
      {dialog?.kind === 'stale' && (
        <ConfirmDialog
          title={t('Sign in again first')}
          text={t('Confirm your identity before you change how you sign in. You will return to this page.')}
          confirmLabel={t('Sign in again')}
          onConfirm={() => startSignIn('/account', { forcePrompt: true })}
          onClose={close}
        />
      )}
    </section>
  )
}

interface FactorRowsProps {
  readonly ownFactors: OwnFactors
  readonly factors: Factors
  run(work: () => Promise<unknown>): Promise<void>
  setDialog(dialog: OpenDialog): void
  onCodes(created: CreatedCodes): void
}

function FactorRows({ ownFactors, factors, run, setDialog, onCodes }: FactorRowsProps) {
  const { appSince, passkeys, recoveryCodesLeft, passkeyDomain } = ownFactors
  const confirm = (confirmation: Confirmation) => setDialog({ kind: 'confirm', confirmation })
  const confirmRemoval = (name: string, work: () => Promise<unknown>) =>
    confirm({
      title: t('Remove {name}?', { name }),
      text: t('It can no longer be used to sign in.'),
      confirmLabel: t('Remove'),
      work,
    })
  const showOffer = async () => setDialog({ kind: 'app', offer: await factors.offerApp() })
  const addPasskey = async () => onCodes(await factors.addPasskey(describeUserAgent(navigator.userAgent)))
  const appName = t('Authenticator app')
  return (
    <ul class="rows">
      <FactorRow
        title={appName}
        note={
          appSince === null
            ? t('Codes from an app, such as your password manager.')
            : t('Since {time}', { time: formatTimestamp(appSince) })
        }
      >
        <FactorButton
          label={appSince === null ? t('Add an authenticator app') : t('Set up another app')}
          onClick={() => void run(showOffer)}
        />
        {appSince !== null && (
          <FactorButton
            label={t('Remove')}
            name={appName}
            onClick={() => confirmRemoval(appName, factors.removeApp)}
          />
        )}
      </FactorRow>
      {passkeys.map((passkey) => (
        <PasskeyRow
          key={passkey.id}
          passkey={passkey}
          onRename={() => setDialog({ kind: 'name', passkey })}
          onRemove={() => confirmRemoval(passkey.name, () => factors.removePasskey(passkey.id))}
        />
      ))}
      {canCreatePasskey(passkeyDomain) && (
        <FactorRow title={t('Passkeys')} note={t('The fingerprint, face or PIN of a device.')}>
          <FactorButton label={t('Add a passkey')} onClick={() => void run(addPasskey)} />
        </FactorRow>
      )}
      {(appSince !== null || passkeys.length > 0) && (
        <FactorRow
          title={t('Recovery codes')}
          note={tn(recoveryCodesLeft, '{count} is left', '{count} are left')}
        >
          <FactorButton
            label={t('New recovery codes')}
            onClick={() =>
              confirm({
                title: t('Generate new recovery codes?'),
                text: t('The current codes will stop working.'),
                confirmLabel: t('Generate new codes'),
                work: async () => onCodes(await factors.createRecoveryCodes()),
              })
            }
          />
        </FactorRow>
      )}
    </ul>
  )
}

interface PasskeyRowProps {
  readonly passkey: Passkey
  onRename(): void
  onRemove(): void
}

function PasskeyRow({ passkey: { name, createdAt, lastUsedAt }, onRename, onRemove }: PasskeyRowProps) {
  const note = inOneLine(
    t('Passkey since {time}', { time: formatTimestamp(createdAt) }),
    lastUsedAt !== null && t('last used {time}', { time: formatTimestamp(lastUsedAt) }),
  )
  return (
    <FactorRow title={name} note={note}>
      <FactorButton label={t('Rename')} name={name} onClick={onRename} />
      <FactorButton label={t('Remove')} name={name} onClick={onRemove} />
    </FactorRow>
  )
}

interface FactorRowProps {
  readonly title: string
  readonly note: string
  readonly children: ComponentChildren
}

const FactorRow = ({ title, note, children }: FactorRowProps) => (
  <li class="row">
    <span class="row-text">
      <bdi>{title}</bdi>
      <span class="quiet-text line">{note}</span>
    </span>
    {children}
  </li>
)

interface FactorButtonProps {
  readonly label: string
  /** The name of the factor, for screen readers, if `label` does not contain it. */
  readonly name?: string
  onClick(): void
}

const FactorButton = ({ label, name, onClick }: FactorButtonProps) => (
  <button type="button" class="button" onClick={onClick}>
    {label}
    {name && <span class="visually-hidden"> {name}</span>}
  </button>
)

interface AppDialogProps {
  readonly offer: AppOffer
  readonly factors: Factors
  onDone(created: CreatedCodes): void
  onClose(): void
}

/** Shows the secret for an app, and asks for a code that proves that the app has it. */
function AppDialog({ offer: { offer, secret, address, picture }, factors, onDone, onClose }: AppDialogProps) {
  const form = useForm({
    initial: { code: '' },
    submit: async ({ code }) => onDone(await factors.confirmApp(offer, code)),
  })
  return (
    <Dialog title={t('Set up an authenticator app')} onClose={onClose}>
      <p>{t('Scan this with an authenticator app, such as your password manager.')}</p>
      <svg
        class="qr"
        viewBox={`0 0 ${picture.side} ${picture.side}`}
        role="img"
        aria-label={t('The secret as a QR code')}
      >
        <rect width="100%" height="100%" fill="#fff" />
        <path d={picture.path} fill="#000" />
      </svg>
      <p class="quiet-text">
        {t('Or type this secret into the app:')} <code>{secret.match(/.{4}/g)?.join(' ')}</code>
      </p>
      <div class="form-buttons">
        <CopyButton text={secret} />
        <a class="button" href={address}>
          {t('Open the app on this device')}
        </a>
      </div>
      <Form form={form} submitLabel={t('Set up')} onCancel={onClose}>
        <TextField
          form={form}
          name="code"
          label={t('Code from the app')}
          required
          autofocus
          autocomplete="one-time-code"
        />
      </Form>
    </Dialog>
  )
}

interface PasskeyNameDialogProps {
  readonly passkey: Passkey
  readonly factors: Factors
  onDone(): void
  onClose(): void
}

function PasskeyNameDialog({ passkey: { id, name }, factors, onDone, onClose }: PasskeyNameDialogProps) {
  const form = useForm({
    initial: { name },
    async submit(values) {
      await factors.renamePasskey(id, values.name)
      onDone()
      onClose()
    },
  })
  return (
    <Dialog title={t('Rename {name}', { name })} onClose={onClose}>
      <Form form={form} submitLabel={t('Save')} onCancel={onClose}>
        <NameField form={form} />
      </Form>
    </Dialog>
  )
}

/** Shows the recovery codes, with which the user can sign in without the app and the passkeys. */
const RecoveryCodesDialog = ({ codes, onClose }: { readonly codes: readonly string[]; onClose(): void }) => (
  <Dialog title={t('Your recovery codes')} onClose={onClose}>
    <p>
      {t(
        'Each one signs you in once, if you lose everything else. They are only shown now: print them, or save them with your passwords.',
      )}
    </p>
    <ul class="codes">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code>
        </li>
      ))}
    </ul>
    <div class="form-buttons">
      <CopyButton text={codes.join('\n')} />
      <button type="button" class="button primary" data-autofocus onClick={onClose}>
        {t('I have saved them')}
      </button>
    </div>
  </Dialog>
)
