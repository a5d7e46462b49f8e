use base64::{engine::general_purpose::STANDARD, Engine};
use extensions::apis::{history_api::read_changes, queries_api::query_organizations};
use hmac::{Hmac, Mac};
use rest::apis::{organizations_api::*, Error};
use rest::models::{OrganizationCreate, OrganizationUpdate};
use std::time::{Duration, Instant};

/// Gets a token, and the next one a minute before it expires: call it before each request.
async fn token(known: &mut (String, Option<Instant>)) -> String {
    if known.1.is_none_or(|ends_at| Instant::now() + Duration::from_secs(60) > ends_at) {
        let form = reqwest::Client::new().post(env("ISSUER") + "/connect/token").basic_auth("robot", Some(env("SECRET"))).form(&[("grant_type", "client_credentials")]);
        let answer: serde_json::Value = form.send().await.unwrap().json().await.unwrap();
        *known = (answer["access_token"].as_str().unwrap().into(), Some(Instant::now() + Duration::from_secs(answer["expires_in"].as_u64().unwrap())));
    }
    known.0.clone()
}
fn env(name: &str) -> String { std::env::var(name).unwrap() }

#[tokio::main]
async fn main() {
    let (mut known, client) = ((String::new(), None), reqwest::Client::new());
    let api = rest::apis::configuration::Configuration { base_path: env("REST"), client: client.clone(), bearer_access_token: Some(token(&mut known).await), ..Default::default() };
    let beyond = extensions::apis::configuration::Configuration { base_path: env("REST"), bearer_access_token: api.bearer_access_token.clone(), ..Default::default() };
    let start = read_changes(&beyond, Some("now"), None, None, None, None).await.unwrap().result.cursor;
    let (create, key) = (OrganizationCreate { description: Some(Some("To the moon".into())), ..OrganizationCreate::new("Space agency".into()) }, uuid::Uuid::new_v4().to_string());
    let mut made = create_organization(&api, create.clone(), Some(&key)).await;
    for wait in [200, 1000, 5000] {
        if !matches!(made, Err(Error::Reqwest(_))) { break } // the response was lost, so the request is repeated with its key
        tokio::time::sleep(Duration::from_millis(wait)).await;
        made = create_organization(&api, create.clone(), Some(&key)).await;
    }
    let id = made.unwrap().organization.id;
    let read = || async { // the generated client returns no headers
        let answer = client.get(format!("{}/api/organization?id={id}", api.base_path)).bearer_auth(api.bearer_access_token.as_ref().unwrap()).send().await.unwrap();
        answer.headers()["etag"].to_str().unwrap().to_owned()
    };
    let (tag, change) = (read().await, OrganizationUpdate { description: Some(None), ..OrganizationUpdate::new(id, "Lunar agency".into()) });
    let first = update_organization(&api, change.clone(), Some(&tag)).await;
    let late = update_organization(&api, change.clone(), Some(&tag)).await; // 412: another client was faster, so read again, then decide again
    let updated = update_organization(&api, change, Some(&read().await)).await;
    println!("cleared: {} statuses: {} {} {}", updated.as_ref().unwrap().organization.description.is_none(), status(first), status(late), status(updated));
    if let Err(Error::ResponseError(rest::apis::ResponseContent { entity: Some(CreateOrganizationError::Status400(error)), .. })) = create_organization(&api, OrganizationCreate::new("".into()), None).await {
        println!("invalid: [{}]", error.errors.unwrap()["name"][0]);
    }
    let (mut pages, mut cursor): (u32, Option<String>) = (0, None);
    while pages == 0 || cursor.is_some() {
        cursor = query_organizations(&beyond, None, None, None, Some(1), cursor.as_deref(), None, None, None, None, None).await.unwrap().result.next_cursor;
        pages += 1;
    }
    let changes = read_changes(&beyond, Some(&start), None, None, None, None).await.unwrap().result; // changes.cursor is the next start
    println!("several pages: {} changes: {}", pages > 1, format!("{:?} {:?}", changes.data[0].action, changes.data[1].action).to_lowercase());
    let signature = env("SIGNATURE");
    println!("signed: {} {}", is_signed(("4711", "1", &signature), "{}", "whsec_a2V5"), is_signed(("4711", "1", &signature), "[]", "whsec_a2V5"));
}
fn status<T, E>(result: Result<T, Error<E>>) -> u16 { match result { Ok(_) => 200, Err(Error::ResponseError(answer)) => answer.status.as_u16(), Err(_) => 0 } }
/// Verifies a webhook's message by its id, timestamp and signature headers. Also reject a timestamp older than five minutes.
fn is_signed((id, timestamp, signatures): (&str, &str, &str), body: &str, secret: &str) -> bool {
    let mac = Hmac::<sha2::Sha256>::new_from_slice(&STANDARD.decode(secret.trim_start_matches("whsec_")).unwrap()).unwrap().chain_update(format!("{id}.{timestamp}.{body}"));
    signatures.split(' ').filter_map(|signature| STANDARD.decode(signature.strip_prefix("v1,")?).ok()).any(|bytes| mac.clone().verify_slice(&bytes).is_ok())
}
