// A passkey in place of a code or a password: <button data-passkey="second"> in a form with a hidden field for it.
import { csrfToken } from "./app.js";

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Fetch the challenge for the device; the browser keeps its counterpart in a cookie. */
async function question(purpose) {
  const response = await fetch("/passkeys", {
    method: "POST",
    headers: { Accept: "application/json", "CSRF-Token": csrfToken() },
    body: new URLSearchParams({ purpose }),
    credentials: "same-origin",
  });
  const value = await response.json();
  if (!response.ok) throw new Error(value.detail);
  return value;
}

const known = (list) => (list ?? []).map((one) => ({ ...one, id: bytes(one.id) }));

async function registered(asked) {
  const publicKey = {
    ...asked,
    challenge: bytes(asked.challenge),
    user: { ...asked.user, id: bytes(asked.user.id) },
    excludeCredentials: known(asked.excludeCredentials),
  };
  const { id, rawId, type, response } = await navigator.credentials.create({ publicKey });
  const { clientDataJSON, attestationObject } = response;
  return { id, rawId: text(rawId), type, response: { clientDataJSON: text(clientDataJSON), attestationObject: text(attestationObject) } };
}

async function given(asked) {
  const publicKey = { ...asked, challenge: bytes(asked.challenge), allowCredentials: known(asked.allowCredentials) };
  const { id, rawId, type, response } = await navigator.credentials.get({ publicKey });
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return {
    id, rawId: text(rawId), type,
    response: {
      clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature),
      userHandle: userHandle && text(userHandle),
    },
  };
}

/** Somebody's passkey as their signature, and whose it is; `purpose` is "supervisor" for the first of two in one form. */
export async function signature(purpose = "signature") {
  const credential = await given(await question(purpose));
  return { passkey: JSON.stringify(credential), owner: owner(credential) };
}

export const says = (error) => (error.name === "NotAllowedError" ? "No passkey was given." : `That did not work: ${error.message}`);

/** Whose passkey it is: where a form asks who signs, they need not type it. */
const owner = (credential) =>
  credential.response.userHandle ? new TextDecoder().decode(bytes(credential.response.userHandle)) : "";

async function use(button) {
  const form = button.closest("form"), purpose = button.dataset.passkey;
  const why = form.querySelector(".passkey-says");
  if (purpose === "register" && !form.reportValidity()) return;
  why.hidden = true;
  button.disabled = true;
  try {
    const asked = await question(purpose);
    const credential = await (purpose === "register" ? registered(asked) : given(asked));
    form.querySelector(`[name="${button.dataset.field ?? "passkey"}"]`).value = JSON.stringify(credential);
    if (purpose === "signature") sign(form, owner(credential));
    else form.requestSubmit();
  } catch (error) {
    why.textContent = says(error);
    why.hidden = false;
  } finally {
    button.disabled = false;
  }
}

/** With a passkey, no password is needed; the form is checked otherwise as usual. */
function sign(form, staffId) {
  const who = form.querySelector('[name="second_person"]');
  if (who && !who.value) who.value = staffId;
  form.querySelector('[name="second_password"]')?.removeAttribute("required");
  if (!form.querySelector("button[name]")) return form.requestSubmit();
  const why = form.querySelector(".passkey-says"); // one of several buttons says what is signed
  why.textContent = "Signed with a passkey. Now choose what is signed.";
  why.hidden = false;
}

for (const button of document.querySelectorAll("[data-passkey]")) {
  button.type = "button";
  button.addEventListener("click", () => use(button));
  if (!window.PublicKeyCredential) {
    button.disabled = true;
    button.dataset.off = "";
    const why = button.closest("form").querySelector(".passkey-says");
    why.textContent = "This browser, or this address, takes no passkeys: they need https.";
    why.hidden = false;
  }
}
