// Logging in: the password goes out as JSON, which no form of another site can send.

import { address } from "./root.js";
import { say } from "./say.js";

const form = document.getElementById("login");
const fault = document.getElementById("fault");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  fault.textContent = "";
  const fields = new FormData(form);
  const body = JSON.stringify({ name: fields.get("name"), password: fields.get("password") });
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(address("/login"), { method: "POST", headers, body }).catch(() => null);
  if (response?.ok) location.assign(address(form.dataset.then));
  else fault.textContent = response ? (await response.json()).detail : say("The referee does not answer.");
});
