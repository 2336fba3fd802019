// Shows the total while somebody counts. Without it, the service computes it when the form is sent.
const form = document.getElementById("count");
const cents = (text) => /^\d+(\.\d{1,2})?$/.test(text.trim()) ? Math.round(Number(text) * 100) : 0;
const shown = (amount) => `$${(amount / 100).toLocaleString("en-US", { minimumFractionDigits: 2 })}`;

function add() {
  let total = 0;
  for (const line of form.querySelectorAll("[data-denomination]")) {
    const other = line.querySelector("[name=other]");
    const worth = cents(other ? other.value : line.dataset.denomination);
    const pieces = line.querySelector("[data-pieces]").value;
    const amount = /^\d+$/.test(pieces) ? worth * Number(pieces) : 0;
    line.querySelector("output").textContent = amount ? shown(amount) : "";
    total += amount;
  }
  document.getElementById("total").textContent = shown(total);
}
form.addEventListener("input", add);
// Enter moves to the next line and does not submit, for people who count at a number pad.
form.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("input")) return;
  event.preventDefault();
  const fields = [...form.querySelectorAll("[data-denomination] input, button")];
  fields[fields.indexOf(event.target) + 1].focus();
});
addEventListener("pageshow", add);
add();
