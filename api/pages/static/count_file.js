// Puts the chosen file into the form byte for byte: a text field would change the ends of its lines, and with them its
// hash.
const form = document.getElementById("count-file");
const chosen = document.getElementById("f-chosen");

function base64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
form?.addEventListener("submit", async (event) => {
  if (form.elements.file.value || !chosen.files.length) return;
  event.preventDefault();
  form.elements.file.value = base64(new Uint8Array(await chosen.files[0].arrayBuffer()));
  form.requestSubmit(event.submitter);
});
chosen?.addEventListener("change", () => { form.elements.file.value = ""; });
