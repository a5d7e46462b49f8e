import type { Language } from '../../../model/language.ts'

/**
 * Markup that is safe to send. By convention only this folder creates it: `html`, the translations and the
 * style.
 */
export interface Html {
  readonly markup: string
}

type HtmlValue = string | Html | readonly Html[]

/**
 * Creates markup. Values that are not markup are escaped, and lose their bidirectional control characters.
 */
export const html = (parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => ({
  markup: parts.reduce((text, part, index) => text + markupOf(values[index - 1] ?? '') + part),
})

function markupOf(value: HtmlValue): string {
  if (typeof value === 'string')
    return value
      .replaceAll(bidiControls, '')
      .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('')
}

/**
 * Marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm. In a user's name they
 * could reorder the surrounding text.
 */
const bidiControls = /\p{Bidi_Control}/gu

/**
 * All texts of the pages. The English text is the key of its translations. The compiler rejects a text that
 * is not listed or that a language lacks.
 */
export const en = [
  // Sign-in
  'Sign in',
  'to continue to {client}',
  'Login',
  'Password',
  'Sign in with {provider}',
  'Sign in with a passkey',
  'Sign in with a password',
  'Forgot your password?',
  'The login or the password is wrong.',
  'Too many attempts with this login. Try again in a minute.',
  'Too many attempts with this login. Try again in {minutes} minutes.',
  'This page has expired',
  'Go back to the app you came from and start again there.',
  'Back to the app',
  'Continue',
  'Back',
  // Forgotten password
  'If your login is an email address, we will send you a link for choosing a new password.',
  'Send the link',
  'Back to sign-in',
  'Check your email',
  'If there is an account with this login, and the login is an email address, we have sent you a link. It is valid for one hour. If nothing arrives, check your spam folder or ask an administrator.',
  // Mails about notifications
  'End mails about notifications?',
  'Your notifications stay in your inbox, where you can read them as before.',
  'End these mails',
  'Choose which notifications are mailed instead',
  'Mails about notifications have ended',
  'Choose which notifications are mailed',
  'This link is not valid',
  'Copy the whole link from the mail, or choose in your account which notifications are mailed.',
  // Second factors and passkeys
  'Second step',
  'One more step to confirm that it is you.',
  'Code from your app, or a recovery code',
  'Recovery code',
  'Lost access to all of these? Ask an administrator to reset two-factor authentication.',
  'This code is wrong or has been used before. Codes change every 30 seconds.',
  'This code is wrong or has been used before.',
  'Use a passkey',
  'Use a passkey instead',
  'The passkey was not used. Try again.',
  'Passkeys require JavaScript, which is disabled in this browser.',
  'This passkey is not registered here, or it could not verify you.',
  'Set up a second step',
  'Your account requires more than a password. Scan this code with an authenticator app, such as your password manager.',
  'The secret as a QR code',
  'Or type this secret into the app: {secret}',
  'Code shown by the app',
  'This code is wrong. Scan the new QR code and try again.',
  'The passkey could not be saved. Try again.',
  'Save your recovery codes',
  'Each code lets you sign in once if you lose your app. The codes are shown only once: print them, or store them with your passwords.',
  'I have saved them',
  // Consent
  'Allow {client}?',
  'You are signed in as {name} ({login}). {client} asks to:',
  'confirm your identity',
  'see your name and your login',
  'see your email address',
  'see and change everything that you can see and change here, in your name',
  'do the same through the command interface',
  'stay connected while you are away, until eight hours after your sign-in',
  'Allow',
  'Do not allow',
  'Either way you return to {place}. You will not be asked again for permissions that you have granted.',
  'Either way you return to {place}, an address on this device. You will be asked each time, because another program on this device could use the same address.',
  // Sign-out
  'Sign out?',
  'This signs you out of every app that you use with this account in this browser. If you did not request it, close this page.',
  'Sign out',
  'You are signed out',
  'You can close this page.',
  'The app requested a redirect to an address that is not registered for it, so you stay on this page.',
  'You are signed out here',
  'Sign out of {provider}, too',
  // External providers
  'Signing in with {provider} failed',
  '{provider} cannot be reached right now. Try again later.',
  '{provider} did not sign you in.',
  '{provider} did not confirm your sign-in. Try again.',
  'The response from {provider} is invalid, so you were not signed in. Try again.',
  'You have to sign in again, but {provider} did not confirm that you did. Sign out there first, or use another way to sign in.',
  'Too many sign-ins from your network address are in progress. Try again in 15 minutes.',
  'This sign-in was started in another browser or has already been used.',
  'No account here is connected to your {provider} account. If you have one here, sign in another way and connect it on the My account page. Otherwise ask an administrator.',
  'Your account here is closed. Ask an administrator.',
  'There is already an account with your email address here. Sign in to it another way, and connect it to {provider} on the My account page.',
  'Your account has reached the limit of connected accounts. Disconnect one first.',
  'Another user has signed in on this browser in the meantime. Start again.',
  'This {provider} account is already connected to another account here.',
  'Sign in again',
  'To connect {provider}, sign in again first: your last sign-in was too long ago, or in another browser.',
  'Back to your account',
  'Connect {provider}?',
  'Anyone who signs in at {provider} as {label} will be signed in here as {user}. Continue only if both accounts are yours.',
  'Connect',
  'Do not connect',
] as const

type Text = (typeof en)[number]

export const ptBr: Readonly<Record<Text, string>> = {
  'Sign in': 'Entrar',
  'to continue to {client}': 'para seguir para {client}',
  Login: 'Login',
  Password: 'Senha',
  'Sign in with {provider}': 'Entrar com {provider}',
  'Sign in with a passkey': 'Entrar com uma chave de acesso',
  'Sign in with a password': 'Entrar com senha',
  'Forgot your password?': 'Esqueceu sua senha?',
  'The login or the password is wrong.': 'O login ou a senha está incorreto.',
  'Too many attempts with this login. Try again in a minute.':
    'Tentativas demais com este login. Tente de novo daqui a um minuto.',
  'Too many attempts with this login. Try again in {minutes} minutes.':
    'Tentativas demais com este login. Tente de novo daqui a {minutes} minutos.',
  'This page has expired': 'Esta página não vale mais',
  'Go back to the app you came from and start again there.':
    'Volte ao aplicativo de onde você veio e comece de novo por lá.',
  'Back to the app': 'De volta ao aplicativo',
  Continue: 'Continuar',
  Back: 'Voltar',
  'If your login is an email address, we will send you a link for choosing a new password.':
    'Se o seu login for um endereço de e-mail, enviaremos para ele um link para você escolher uma nova.',
  'Send the link': 'Enviar o link',
  'Back to sign-in': 'Voltar para o login',
  'End mails about notifications?': 'Não receber mais e-mails sobre notificações?',
  'Your notifications stay in your inbox, where you can read them as before.':
    'As notificações continuam na sua caixa de entrada, onde você as lê como antes.',
  'End these mails': 'Não receber mais',
  'Choose which notifications are mailed instead': 'Em vez disso, escolher quais chegam por e-mail',
  'Mails about notifications have ended': 'Você não recebe mais e-mails sobre notificações',
  'Choose which notifications are mailed': 'Escolher quais notificações chegam por e-mail',
  'This link is not valid': 'Este link não é válido',
  'Copy the whole link from the mail, or choose in your account which notifications are mailed.':
    'Copie o link inteiro do e-mail, ou escolha na sua conta quais notificações chegam por e-mail.',
  'Check your email': 'Veja seus e-mails',
  'If there is an account with this login, and the login is an email address, we have sent you a link. It is valid for one hour. If nothing arrives, check your spam folder or ask an administrator.':
    'Se existir uma conta com este login, e ele for um endereço de e-mail, um link está a caminho. Ele vale por uma hora. Não chegou nada? Veja na caixa de spam ou fale com um administrador.',
  'Second step': 'Segunda etapa',
  'One more step to confirm that it is you.': 'Mais uma etapa, para mostrar que é você.',
  'Code from your app, or a recovery code': 'Código do seu aplicativo ou um código de recuperação',
  'Recovery code': 'Código de recuperação',
  'Lost access to all of these? Ask an administrator to reset two-factor authentication.':
    'Perdeu tudo isso? Um administrador pode retirar a segunda etapa.',
  'This code is wrong or has been used before. Codes change every 30 seconds.':
    'Não confere, ou já foi usado. Os códigos mudam a cada meio minuto.',
  'This code is wrong or has been used before.': 'Não confere, ou já foi usado.',
  'Use a passkey': 'Usar uma chave de acesso',
  'Use a passkey instead': 'Prefiro usar uma chave de acesso',
  'The passkey was not used. Try again.': 'A chave de acesso não foi usada. Tente de novo.',
  'Passkeys require JavaScript, which is disabled in this browser.':
    'Chaves de acesso precisam de scripts, que este navegador não executa.',
  'This passkey is not registered here, or it could not verify you.':
    'Esta chave de acesso não é conhecida aqui ou não confirmou que é você.',
  'Set up a second step': 'Configurar uma segunda etapa',
  'Your account requires more than a password. Scan this code with an authenticator app, such as your password manager.':
    'Para entrar aqui é preciso mais do que uma senha. Leia isto com um aplicativo que gera códigos, como o do seu gerenciador de senhas.',
  'The secret as a QR code': 'O segredo em um código QR',
  'Or type this secret into the app: {secret}': 'Ou digite este segredo no aplicativo: {secret}',
  'Code shown by the app': 'Código que o aplicativo mostra',
  'This code is wrong. Scan the new QR code and try again.':
    'Este código não confere. A imagem é nova: leia-a outra vez.',
  'The passkey could not be saved. Try again.': 'Não foi possível guardar a chave de acesso. Tente de novo.',
  'Save your recovery codes': 'Guarde seus códigos de recuperação',
  'Each code lets you sign in once if you lose your app. The codes are shown only once: print them, or store them with your passwords.':
    'Cada um deixa você entrar uma vez, para o dia em que tiver perdido seu aplicativo. Eles aparecem só agora: imprima-os ou guarde-os junto com suas senhas.',
  'I have saved them': 'Já guardei',
  'Allow {client}?': 'Permitir {client}?',
  'You are signed in as {name} ({login}). {client} asks to:':
    'Você entrou como {name} ({login}). {client} pede para:',
  'confirm your identity': 'saber que é você',
  'see your name and your login': 'ver seu nome e seu login',
  'see your email address': 'ver seu endereço de e-mail',
  'see and change everything that you can see and change here, in your name':
    'ver e alterar em seu nome tudo o que você pode ver e alterar aqui',
  'do the same through the command interface': 'fazer o mesmo pela interface de comandos',
  'stay connected while you are away, until eight hours after your sign-in':
    'continuar conectado sem você, até oito horas depois da sua entrada',
  Allow: 'Permitir',
  'Do not allow': 'Não permitir',
  'Either way you return to {place}. You will not be asked again for permissions that you have granted.':
    'De um jeito ou de outro, você volta para {place}. O que você já permitiu não será perguntado de novo.',
  'Either way you return to {place}, an address on this device. You will be asked each time, because another program on this device could use the same address.':
    'De um jeito ou de outro, você volta para {place}, um endereço deste dispositivo. A pergunta se repete a cada vez: outro programa nele poderia usar o mesmo endereço.',
  'Sign out?': 'Sair?',
  'This signs you out of every app that you use with this account in this browser. If you did not request it, close this page.':
    'Você sairá de todos os aplicativos em que entrou com esta conta neste navegador. Se não foi você quem pediu, feche esta página.',
  'Sign out': 'Sair',
  'You are signed out': 'Você saiu',
  'You can close this page.': 'Você pode fechar esta página.',
  'The app requested a redirect to an address that is not registered for it, so you stay on this page.':
    'O aplicativo queria seguir para um endereço que não está registrado para ele; por isso você fica nesta página.',
  'You are signed out here': 'Você saiu daqui',
  'Sign out of {provider}, too': 'Sair também de {provider}',
  'Signing in with {provider} failed': 'Não deu certo com {provider}',
  '{provider} cannot be reached right now. Try again later.':
    'Não foi possível falar com {provider} agora. Tente de novo daqui a pouco.',
  '{provider} did not sign you in.': 'Sua entrada não foi aceita por {provider}.',
  '{provider} did not confirm your sign-in. Try again.':
    'Sua entrada não foi confirmada por {provider}. Tente de novo.',
  'The response from {provider} is invalid, so you were not signed in. Try again.':
    'A resposta de {provider} não é válida, por isso você não entrou. Tente de novo.',
  'You have to sign in again, but {provider} did not confirm that you did. Sign out there first, or use another way to sign in.':
    'Você precisa entrar de novo, e {provider} não disse que você fez isso. Saia de lá primeiro ou entre de outro jeito.',
  'Too many sign-ins from your network address are in progress. Try again in 15 minutes.':
    'Há entradas demais em andamento a partir do seu endereço. Tente de novo daqui a quinze minutos.',
  'This sign-in was started in another browser or has already been used.':
    'Esta entrada não começou neste navegador ou já foi usada.',
  'No account here is connected to your {provider} account. If you have one here, sign in another way and connect it on the My account page. Otherwise ask an administrator.':
    'Nenhuma conta daqui pertence à sua em {provider}. Se você tem uma, entre nela de outro jeito e conecte-a na página Minha conta; se não, fale com um administrador.',
  'Your account here is closed. Ask an administrator.':
    'Sua conta aqui está fechada. Fale com um administrador.',
  'There is already an account with your email address here. Sign in to it another way, and connect it to {provider} on the My account page.':
    'Já existe aqui uma conta com o seu endereço. Entre nela de outro jeito e conecte-a a {provider} na página Minha conta.',
  'Your account has reached the limit of connected accounts. Disconnect one first.':
    'Sua conta já está conectada a tantas outras quanto possível. Desconecte uma primeiro.',
  'Another user has signed in on this browser in the meantime. Start again.':
    'Nesse meio-tempo, outra pessoa entrou neste navegador. Comece de novo.',
  'This {provider} account is already connected to another account here.':
    'Esta conta de {provider} está conectada à conta de outra pessoa aqui.',
  'Sign in again': 'Entre mais uma vez',
  'To connect {provider}, sign in again first: your last sign-in was too long ago, or in another browser.':
    'Para conectar {provider}, entre de novo primeiro: a última vez foi há muito tempo ou não foi neste navegador.',
  'Back to your account': 'Voltar para sua conta',
  'Connect {provider}?': 'Conectar {provider}?',
  'Anyone who signs in at {provider} as {label} will be signed in here as {user}. Continue only if both accounts are yours.':
    'Quem entrar em {provider} como {label} entrará aqui como {user}. Continue só se os dois forem você.',
  Connect: 'Conectar',
  'Do not connect': 'Não conectar',
}

type Placeholders<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** A text without placeholders. */
export type PlainText = { [T in Text]: Placeholders<T> extends never ? T : never }[Text]

/** Translates a text into the language of the page, and fills in its placeholders. */
export type Translate = <T extends Text>(
  text: T,
  ...values: [Placeholders<T>] extends [never] ? [] : [Readonly<Record<Placeholders<T>, HtmlValue>>]
) => Html

export const translatorFor =
  (language: Language): Translate =>
  (text, ...args) => {
    const values: Readonly<Record<string, HtmlValue>> = args[0] ?? {}
    const parts = (translations[language]?.[text] ?? text).split(/\{(\w+)\}/)
    // Every second part is the name of a placeholder.
    return {
      markup: parts.map((part, index) => markupOf(index % 2 === 0 ? part : (values[part] ?? ''))).join(''),
    }
  }

const translations: Readonly<Record<Language, Readonly<Record<Text, string>> | undefined>> = {
  en: undefined,
  'pt-BR': ptBr,
}
